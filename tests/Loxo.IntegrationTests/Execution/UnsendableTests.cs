using System.Data;
using System.Text.Json.Nodes;

namespace Loxo.IntegrationTests.Execution;

/// <summary>Texts that no message can carry, given to every member that writes: each says so and leaves the session free.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public class UnsendableTests(WaitMode mode) : DatabaseTest(mode)
{
    private delegate Task Operation(UnsendableTests test, string text);

    private static readonly Dictionary<string, string> _unsendable = new()
    {
        ["a high surrogate alone"] = "a\ud800",
        ["a low surrogate alone"] = "\udc00b",
        ["a NUL"] = "a\0b",
        ["a surrogate behind much text"] = new string('x', 100_000) + "\ud800",
        ["a NUL behind much text"] = new string('x', 100_000) + "\0",
    };

    private static readonly Dictionary<string, string> _doubtful = new()
    {
        ["too long for a name"] = new string('n', 100_000),
        ["quotes"] = "a\"b'c",
        ["empty"] = "",
    };

    private static readonly Dictionary<string, Operation> _members = new()
    {
        ["Save"] = (test, text) => test.InTransaction(tx => test.Mode.Run(() => tx.Save(text), () => tx.SaveAsync(text))),
        ["Rollback(name)"] = (test, text) => test.InTransaction(tx => test.Mode.Run(() => tx.Rollback(text), () => tx.RollbackAsync(text))),
        ["Release"] = (test, text) => test.InTransaction(tx => test.Mode.Run(() => tx.Release(text), () => tx.ReleaseAsync(text))),
        ["ExecuteNonQuery"] = (test, text) => test.Execute("SELECT 1 AS \"" + text + "\""),
        ["ExecuteScalar"] = (test, text) => test.Scalar<int>("SELECT 1 AS \"" + text + "\""),
        ["ExecuteReader"] = (test, text) => test.Rows("SELECT 1; SELECT 1 AS \"" + text + "\""),
        ["Prepare"] = async (test, text) => await test.Mode.Prepare(test.Command("SELECT 1 AS \"" + text + "\"")),
        ["SchemaOnly"] = async (test, text) => await test.Mode.Close(
            await test.Mode.ExecuteReader(test.Command("SELECT 1 AS \"" + text + "\""), CommandBehavior.SchemaOnly)),
        ["TableDirect"] = (test, text) => test.Typed(CommandType.TableDirect, text),
        ["StoredProcedure"] = (test, text) => test.Typed(CommandType.StoredProcedure, text),
        ["parameter name"] = (test, text) => test.Typed(CommandType.StoredProcedure, "p", new PgParameter(text, 1)),
        ["DataTypeName"] = (test, text) => test.Scalar<object>("SELECT $1", new PgParameter { DataTypeName = text, Value = "v" }),
        ["DataTypeName with a schema"] = (test, text) => test.Scalar<object>("SELECT $1", new PgParameter { DataTypeName = "s." + text, Value = "v" }),
        ["Prepare of DataTypeName"] = async (test, text) =>
            await test.Mode.Prepare(test.Command("SELECT $1", new PgParameter { DataTypeName = text, Value = "v" })),
        ["string"] = (test, text) => test.Scalar<string>("SELECT $1", text),
        ["string, by type argument"] = (test, text) => test.Scalar<string>("SELECT $1", new PgParameter<string>(null, text)),
        ["string in pieces"] = (test, text) => test.Scalar<string>("SELECT $1", new PgParameter { Value = text, Size = text.Length }),
        ["string behind a fitting one"] = (test, text) => test.Rows("SELECT $1::text, $2::text", "fits", text),
        ["char array"] = (test, text) => test.Scalar<string>("SELECT $1", new PgParameter { PgDbType = PgDbType.Text, Value = text.ToCharArray() }),
        ["string array"] = (test, text) => test.Scalar<string[]>("SELECT $1", new PgParameter { Value = new[] { "fits", text } }),
        ["list of strings"] = (test, text) => test.Scalar<string[]>("SELECT $1", new PgParameter { Value = new List<string> { text } }),
        ["json"] = (test, text) => test.Scalar<string>("SELECT $1", new PgParameter { PgDbType = PgDbType.Json, Value = "\"" + text + "\"" }),
        ["jsonb"] = (test, text) => test.Scalar<string>("SELECT $1", new PgParameter { PgDbType = PgDbType.Jsonb, Value = "\"" + text + "\"" }),
        ["xml"] = (test, text) => test.Scalar<string>("SELECT $1", new PgParameter { PgDbType = PgDbType.Xml, Value = "<a>" + text + "</a>" }),
        ["text of an unknown type"] = (test, text) => test.Scalar<string>("SELECT $1::text", new PgParameter { PgDbType = PgDbType.Unknown, Value = text }),
        ["number as text"] = (test, text) => test.Scalar<int>("SELECT $1", new PgParameter { PgDbType = PgDbType.Integer, Value = text }),
        ["batch text"] = (test, text) => test.Batch("SELECT 1 AS \"" + text + "\""),
        ["batch value"] = (test, text) => test.Batch("SELECT $1::text", new PgParameter { Value = text }),
        ["Prepare of a batch"] = async (test, text) =>
        {
            await using var batch = test.BatchOf("SELECT 1 AS \"" + text + "\"");
            await test.Mode.Run(batch.Prepare, () => batch.PrepareAsync());
        },
    };

    private static IEnumerable<TestCaseData> Refused =>
        from member in _members
        from text in _unsendable
        select new TestCaseData(member.Value, text.Value).SetArgDisplayNames(member.Key, text.Key);

    private static IEnumerable<TestCaseData> Doubtful =>
        from member in _members
        from text in _doubtful
        select new TestCaseData(member.Value, text.Value).SetArgDisplayNames(member.Key, text.Key);

    [TestCaseSource(nameof(Refused))]
    public async Task A_text_that_cannot_be_sent_is_refused_and_the_connection_stays_usable(Delegate operation, string text)
    {
        var server = Connection.ProcessID;

        var error = await Catch<Exception>(() => ((Operation)operation)(this, text));

        Assert.That(error, Is.Not.InstanceOf<PostgresException>(), "nothing was sent");
        Assert.That(IsAboutText(error), Is.True, error.ToString());
        await AssertUsable();
        Assert.That(Connection.ProcessID, Is.EqualTo(server));
    }

    [TestCaseSource(nameof(Doubtful))]
    public async Task A_text_that_only_the_server_can_judge_leaves_the_connection_usable(Delegate operation, string text)
    {
        var server = Connection.ProcessID;
        try
        {
            await ((Operation)operation)(this, text);
        }
        catch (Exception error) when (IsAboutText(error))
        {
            // Either answer is right.
        }

        await AssertUsable();
        Assert.That(Connection.ProcessID, Is.EqualTo(server));
    }

    [Test]
    public async Task A_savepoint_that_cannot_be_sent_leaves_the_transaction_as_it_was([Values] bool isBegun)
    {
        await Execute("CREATE TEMP TABLE kept(x int)");
        var transaction = Connection.BeginTransaction();
        if (isBegun)
            await Execute("INSERT INTO kept VALUES (1)");

        await Catch<ArgumentException>(() => Mode.Run(() => transaction.Save("a\ud800"), () => transaction.SaveAsync("a\ud800")));
        await Execute("INSERT INTO kept VALUES (2)");
        await Mode.Rollback(transaction);

        Assert.That(await Scalar<long>("SELECT count(*) FROM kept"), Is.Zero);
    }

    [Test]
    public async Task More_parameters_than_the_protocol_counts_are_refused([Values] bool isNamed, [Values] bool isPrepared)
    {
        await using var command = new PgCommand("", Connection);
        AddMany(command, isNamed);

        var error = await Catch<PgException>(() => isPrepared ? Mode.Prepare(command) : Mode.ExecuteNonQuery(command));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.TooManyParameters));
        await AssertUsable();
    }

    [Test]
    public async Task More_parameters_than_the_protocol_counts_are_refused_in_a_batch_and_a_procedure()
    {
        await using var batch = BatchOf("SELECT 1");
        var last = new PgBatchCommand();
        using var command = new PgCommand("p", Connection) { CommandType = CommandType.StoredProcedure };
        AddMany(command, isNamed: false);
        last.CommandText = command.CommandText;
        foreach (var parameter in command.Parameters.ToArray())
            last.Parameters.Add(parameter.Clone());
        batch.BatchCommands.Add(last);

        var inBatch = await Catch<PgException>(() => Mode.Run(() => batch.ExecuteNonQuery(), () => batch.ExecuteNonQueryAsync()));
        await AssertUsable();
        var ofProcedure = await Catch<PgException>(() => Mode.ExecuteNonQuery(command));

        Assert.That(new[] { inBatch.Code, ofProcedure.Code }, Is.All.EqualTo(PgErrorCode.TooManyParameters));
        await AssertUsable();
    }

    [TestCaseSource(nameof(Names))]
    public async Task A_command_of_a_data_source_that_cannot_be_sent_gives_its_connection_back(string text)
    {
        await using var source = PgDataSource.Create(ConnectionString + ";Maximum Pool Size=1");
        for (var i = 0; i < 2; i++)
        {
            await using var command = source.CreateCommand("SELECT 1 AS \"" + text + "\"");
            await Catch<Exception>(() => Mode.ExecuteScalar(command));
            await using var batch = source.CreateBatch();
            batch.BatchCommands.Add(new PgBatchCommand("SELECT 1 AS \"" + text + "\""));
            await Catch<Exception>(() => Mode.Run(() => batch.ExecuteNonQuery(), () => batch.ExecuteNonQueryAsync()));
        }
        await using var good = source.CreateCommand("SELECT 42");
        Assert.That(await Mode.ExecuteScalar(good), Is.EqualTo(42));
    }

    [TestCaseSource(nameof(Names))]
    public async Task A_database_name_that_cannot_be_sent_does_not_wedge_the_connection(string text)
    {
        var error = await Catch<Exception>(() => Mode.Run(() => Connection.ChangeDatabase(text), () => Connection.ChangeDatabaseAsync(text)));

        Assert.That(IsAboutText(error), Is.True, error.ToString());
        if (Connection.State == ConnectionState.Closed)
        {
            Connection.ConnectionString = ConnectionString;
            await Mode.Open(Connection);
        }
        await AssertUsable();
    }

    [Test]
    public async Task A_json_node_with_half_a_character_does_not_wedge_the_connection()
    {
        try
        {
            await Scalar<string>("SELECT $1::text", new PgParameter { PgDbType = PgDbType.Jsonb, Value = JsonValue.Create("a\ud800") });
        }
        catch (Exception error) when (IsAboutText(error))
        {
            // .NET may write U+FFFD for it instead.
        }
        await AssertUsable();
    }

    // Not NullReferenceException and the like.
    private static bool IsAboutText(Exception error) => error is ArgumentException or PgException or InvalidOperationException or InvalidCastException;

    private static IEnumerable<TestCaseData> Names => _unsendable.Select(text => new TestCaseData(text.Value).SetArgDisplayNames(text.Key));

    private static void AddMany(PgCommand command, bool isNamed)
    {
        const int Count = 70_000;
        for (var i = 1; i <= Count; i++)
            command.Parameters.Add(new PgParameter(isNamed ? $"p{i}" : null, i));
        var marks = Enumerable.Range(1, Count).Select(i => isNamed ? $"@p{i}" : $"${i}");
        command.CommandText = command.CommandType == CommandType.Text ? $"SELECT x FROM (VALUES (1)) v(x) WHERE x IN ({string.Join(',', marks)})" : command.CommandText;
    }

    private async Task InTransaction(Func<PgTransaction, Task> action)
    {
        await using var transaction = Connection.BeginTransaction();
        await Scalar<int>("SELECT 1");
        await action(transaction);
    }

    private async Task Typed(CommandType type, string text, params PgParameter[] parameters)
    {
        await using var command = new PgCommand(text, Connection) { CommandType = type };
        foreach (var parameter in parameters)
            command.Parameters.Add(parameter);
        await Mode.ExecuteNonQuery(command);
    }

    private async Task Batch(string second, params PgParameter[] parameters)
    {
        await using var batch = BatchOf(second, parameters);
        await Mode.Run(() => batch.ExecuteNonQuery(), () => batch.ExecuteNonQueryAsync());
    }

    private PgBatch BatchOf(string second, params PgParameter[] parameters)
    {
        var batch = new PgBatch(Connection);
        batch.BatchCommands.Add(new PgBatchCommand("SELECT 1"));
        var last = new PgBatchCommand(second);
        foreach (var parameter in parameters)
            last.Parameters.Add(parameter);
        batch.BatchCommands.Add(last);
        return batch;
    }
}
