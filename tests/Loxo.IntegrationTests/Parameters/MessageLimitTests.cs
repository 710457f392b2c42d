using System.Text.Json.Nodes;

namespace Loxo.IntegrationTests.Parameters;

/// <summary>
/// Messages longer than the server accepts (1 GiB) are refused before they are encoded. Most of these tests set a lower limit, so that they need
/// little memory.
/// </summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
[NonParallelizable]
[Category("OneServer")]
public class MessageLimitTests(WaitMode mode) : DatabaseTest(mode)
{
    private const int Limit = 100_000;
    private const int MiB = 1024 * 1024;

    private static readonly Dictionary<string, (object Value, PgDbType Type)> _tooLong = new()
    {
        ["text"] = (new string('x', Limit), PgDbType.Text),
        ["text of three bytes a character"] = (new string('€', Limit / 3), PgDbType.Text),
        ["varchar"] = (new string('x', Limit), PgDbType.Varchar),
        ["untyped text"] = (new string('x', Limit), PgDbType.Unknown),
        ["characters"] = (new string('x', Limit).ToCharArray(), PgDbType.Text),
        ["bytes"] = (new byte[Limit], PgDbType.Bytea),
        ["memory"] = (new byte[Limit].AsMemory(), PgDbType.Bytea),
        ["array of text"] = (Enumerable.Repeat(new string('x', Limit / 10), 10).ToArray(), PgDbType.Array | PgDbType.Text),
        ["list of text"] = (Enumerable.Repeat(new string('€', Limit / 30), 11).ToList(), PgDbType.Array | PgDbType.Text),
        ["array of bytes"] = (Enumerable.Repeat(new byte[Limit / 10], 10).ToArray(), PgDbType.Array | PgDbType.Bytea),
        ["array of int"] = (new int[Limit / 8], PgDbType.Array | PgDbType.Integer),
        ["array of short text"] = (Enumerable.Repeat("x", Limit / 5).ToArray(), PgDbType.Array | PgDbType.Text),
        ["array of uuid"] = (new Guid[Limit / 20], PgDbType.Array | PgDbType.Uuid),
        ["json text"] = ($"\"{new string('x', Limit)}\"", PgDbType.Json),
        ["jsonb text"] = ($"\"{new string('x', Limit)}\"", PgDbType.Jsonb),
        ["json node"] = (new JsonArray([.. Enumerable.Range(0, Limit / 5).Select(i => (JsonNode)i)]), PgDbType.Jsonb),
        ["json of an object"] = (new Dictionary<string, string> { ["a"] = new string('x', Limit) }, PgDbType.Jsonb),
        ["array of json"] = (Enumerable.Repeat($"\"{new string('x', Limit / 10)}\"", 10).ToArray(), PgDbType.Array | PgDbType.Json),
        ["stream"] = (new MemoryStream(new byte[Limit]), PgDbType.Bytea),
    };

    private PgDataSource _source = null!;

    private static IEnumerable<TestCaseData> TooLong =>
        _tooLong.Select(value => new TestCaseData(value.Value.Value, value.Value.Type).SetArgDisplayNames(value.Key));

    [SetUp]
    public async Task Limit_messages()
    {
        await Connection.DisposeAsync();
        Connection = await OpenWithLimit(Limit);
    }

    [TearDown]
    public async Task Dispose_source()
    {
        await Connection.DisposeAsync();
        await _source.DisposeAsync();
    }

    [TestCaseSource(nameof(TooLong))]
    public async Task A_value_that_no_message_can_carry_is_refused_by_its_name(object value, PgDbType type)
    {
        var server = Connection.ProcessID;

        var error = await Catch<PgException>(() => Execute("SELECT @fits, @much",
            new PgParameter("fits", 1), new PgParameter("much", type) { Value = value }));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.MessageTooLarge));
        Assert.That(error.Message, Does.Contain("'much' (number 2)").And.Contain("100,000"));
        await AssertUsable();
        Assert.That(Connection.ProcessID, Is.EqualTo(server));
    }

    [Test]
    public async Task A_stream_that_turns_out_to_be_too_long_is_refused_by_its_name()
    {
        var error = await Catch<PgException>(() => Execute("SELECT @much", new PgParameter("much", new PatternStream(Limit, canSeek: false, Mode))));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.MessageTooLarge));
        Assert.That(error.Message, Does.Contain("'much' (number 1)").And.Contain("100,000"));
        await AssertUsable();
    }

    [Test]
    public async Task Values_that_fit_one_by_one_are_refused_together()
    {
        var half = new string('x', Limit / 2);

        var error = await Catch<PgException>(() => Execute("SELECT $1, $2", half, half));

        Assert.That(error.Message, Does.Contain("$2").And.Contain("100,000"));
        Assert.That(await Scalar<int>("SELECT length($1)", half), Is.EqualTo(half.Length));
    }

    [Test]
    public async Task Statements_of_a_batch_have_a_message_each()
    {
        await using var batch = new PgBatch(Connection);
        for (var i = 0; i < 5; i++)
        {
            var command = new PgBatchCommand("SELECT length($1)");
            command.Parameters.Add(new PgParameter { Value = new string('x', Limit - 100) });
            batch.BatchCommands.Add(command);
        }

        Assert.That(await Mode.Run(() => batch.ExecuteScalar(), () => batch.ExecuteScalarAsync()), Is.EqualTo(Limit - 100));

        batch.BatchCommands[3].Parameters[0].Value = new string('x', Limit);
        var error = await Catch<PgException>(() => Mode.Run(() => batch.ExecuteNonQuery(), () => batch.ExecuteNonQueryAsync()));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.MessageTooLarge));
        await AssertUsable();
    }

    [Test]
    public async Task A_text_that_no_message_can_carry_is_refused([Values] bool isPrepared, [Values] bool hasParameter)
    {
        var sql = $"SELECT {(hasParameter ? "@a::int" : "1")} -- {new string('x', Limit)}";
        await using var command = new PgCommand(sql, Connection);
        if (hasParameter)
            command.Parameters.AddWithValue("a", 1);

        var error = await Catch<PgException>(() => isPrepared ? Mode.Prepare(command) : Mode.ExecuteNonQuery(command));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.MessageTooLarge));
        Assert.That(error.Message, Does.Contain("100,000"));
        await AssertUsable();
    }

    [Test]
    public async Task A_message_of_exactly_the_limit_is_sent()
    {
        var longest = 0;
        for (var length = Limit - 100; length <= Limit; length++)
        {
            try
            {
                Assert.That(await Scalar<int>("SELECT length($1)", new string('x', length)), Is.EqualTo(length));
                longest = length;
            }
            catch (PgException error) when (error.Code == PgErrorCode.MessageTooLarge)
            {
                Assert.That(error.Message, Does.Contain("100,0"), "it says how long the message would be");
                break;
            }
        }
        // Bind: length, portal, statement, one format code of two bytes with its count, a count, the value's length, one result format with its count.
        Assert.That(longest, Is.EqualTo(Limit - (4 + 1 + 1 + 4 + 2 + 4 + 4)));
        await AssertUsable();
    }

    // Allocated in all: what is needed at once is not more.
    [Category("Slow")]
    [TestCase("text")]
    [TestCase("bytes")]
    [TestCase("array")]
    [TestCase("sql")]
    public async Task A_long_value_takes_no_more_memory_than_its_bytes_and_a_little(string what)
    {
        const int Length = 64 * MiB;
        Connection.Dispose();
        Connection = await OpenWithLimit(null);
        var text = new string('x', Length);
        await using var command = what switch
        {
            "text" => Command("SELECT length($1)", text),
            "bytes" => Command("SELECT length($1)", new byte[Length]),
            "array" => Command("SELECT cardinality($1)", new PgParameter { Value = Enumerable.Repeat(new string('x', MiB), 64).ToArray() }),
            _ => Command($"SELECT 1 -- {text}"),
        };
        await AssertUsable();

        var before = GC.GetTotalAllocatedBytes(precise: true);
        await Mode.ExecuteNonQuery(command);
        var allocated = GC.GetTotalAllocatedBytes(precise: true) - before;

        Assert.That(allocated, Is.LessThan(Length + 4 * MiB));
    }

    [Test]
    [Category("Long"), Category("OneServer")]
    public async Task The_servers_own_limit_is_that_of_a_message()
    {
        Connection.Dispose();
        Connection = await OpenWithLimit(null);
        var server = Connection.ProcessID;

        var ofText = await Catch<PgException>(() => Execute("SELECT length(@much)", new PgParameter("much", new string('€', 360_000_000))));
        var ofBytes = await Catch<PgException>(() => Execute("SELECT length(@much)", new PgParameter("much", new byte[0x3fffffff])));

        Assert.That(new[] { ofText.Message, ofBytes.Message }, Is.All.Contains("'much'").And.Contains("1,073,741,822"));
        await AssertUsable();
        Assert.That(Connection.ProcessID, Is.EqualTo(server));
    }

    private async Task<PgConnection> OpenWithLimit(int? limit)
    {
        if (_source is not null)
            await _source.DisposeAsync();
        var settings = PgDataSource.Create(ConnectionString + ";Pooling=false;Max Auto Prepare=0").Settings;
        _source = new PgDataSource(limit is { } most ? settings with { Transport = settings.Transport with { MostInMessage = most } } : settings);
        return await Mode.Run(() => _source.OpenConnection(), async () => await _source.OpenConnectionAsync());
    }
}
