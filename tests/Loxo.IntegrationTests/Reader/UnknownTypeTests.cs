using System.Data;
using Loxo.IntegrationTests.Pool;

namespace Loxo.IntegrationTests.Reader;

/// <summary>
/// Types without a binary codec are read as the server's text: on the first run of a text, which asked for binary before anybody knew,
/// as on every later one. See docs/decisions/0009-text-of-unknown-types.md.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class UnknownTypeTests(WaitMode mode) : DatabaseTest(mode)
{
    private const string Everything = """
        SELECT 1 AS id, NULL::unknown_pair AS nothing, 'ok'::unknown_mood AS mood, '{sad,NULL,ok}'::unknown_mood[] AS moods, ('ok', '(1,2)')::unknown_pair AS pair, '[ok,ok]'::unknown_moods AS range,
               NULL::unknown_mood AS no_mood, 'last' AS last
        """;

    private static readonly object[] EverythingRead =
        [1, DBNull.Value, "ok", "{sad,NULL,ok}", "(ok,\"(1,2)\")", "[ok,ok]", DBNull.Value, "last"];

    private const string Mood = "unknown_mood";

    // Types of its own: they have no codec whatever else comes to have one. Functions that are written in C hide something from the audit, so the
    // database is one of its own, too.
    private const string Types = $"""
        CREATE TYPE {Mood};
        CREATE FUNCTION {Mood}_in(cstring) RETURNS {Mood} LANGUAGE internal IMMUTABLE STRICT AS 'textin';
        CREATE FUNCTION {Mood}_out({Mood}) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
        CREATE FUNCTION {Mood}_recv(internal) RETURNS {Mood} LANGUAGE internal IMMUTABLE STRICT AS 'textrecv';
        CREATE FUNCTION {Mood}_send({Mood}) RETURNS bytea LANGUAGE internal IMMUTABLE STRICT AS 'textsend';
        CREATE TYPE {Mood} (INPUT = {Mood}_in, OUTPUT = {Mood}_out, RECEIVE = {Mood}_recv, SEND = {Mood}_send, LIKE = text);
        CREATE FUNCTION {Mood}_cmp({Mood}, {Mood}) RETURNS int LANGUAGE internal IMMUTABLE STRICT AS 'byteacmp';
        CREATE OPERATOR CLASS {Mood}_ops DEFAULT FOR TYPE {Mood} USING btree AS FUNCTION 1 {Mood}_cmp({Mood}, {Mood});
        CREATE TYPE unknown_pair AS (mood {Mood}, place point);
        CREATE TYPE unknown_moods AS RANGE (subtype = {Mood})
        """;

    private TestDatabase _database = null!;
    private PgDataSource _source = null!;

    protected override string ConnectionString => _database.ConnectionString + LeakGuard.Mode;

    private PgConnection Fresh { get; set; } = null!;

    [OneTimeSetUp]
    public async Task CreateDatabase() => _database = await TestDatabase.Create(Types);

    [OneTimeTearDown]
    public async Task DropDatabase() => await _database.DisposeAsync();

    // What a data source has learned must not depend on the tests before this one.
    [SetUp]
    public async Task OpenOnFreshDataSource()
    {
        _source = PgDataSource.Create(ConnectionString);
        Fresh = _source.CreateConnection();
        await Mode.Open(Fresh);
    }

    [TearDown]
    public async Task CloseFreshDataSource()
    {
        await Fresh.DisposeAsync();
        await _source.DisposeAsync();
    }

    [Test]
    public async Task Values_are_text_on_the_first_run_and_on_later_ones([Values] bool inTransaction)
    {
        var transaction = inTransaction ? Fresh.BeginTransaction() : null;
        for (var run = 1; run <= 3; run++)
            Assert.That(await FirstRow(Everything), Is.EqualTo(EverythingRead), $"run {run}");
        if (transaction is not null)
            await Mode.Commit(transaction);
    }

    [Test]
    public async Task Values_are_text_in_the_prepared_and_in_the_described_command()
    {
        await using var command = New(Everything);
        var described = await Mode.ExecuteReader(command, CommandBehavior.SchemaOnly);
        Assert.That(described.GetFieldType(1), Is.EqualTo(typeof(string)));
        Assert.That(described.GetDataTypeName(1), Is.EqualTo("public.unknown_pair"));
        await Mode.Close(described);

        await Mode.Prepare(command);

        Assert.That(await FirstRow(command), Is.EqualTo(EverythingRead));
    }

    [Test]
    public async Task What_one_connection_has_learned_serves_all_connections_of_the_data_source()
    {
        // The server does not take back what it sends of such a type: it is text only if it was asked for as text.
        var table = "pairs_" + Mode;
        await Run($"CREATE TEMP TABLE {table} AS SELECT i AS a, i % 5 AS b FROM generate_series(1, 10) i; CREATE STATISTICS pg_temp.{table}_s (ndistinct) ON a, b FROM {table}; ANALYZE {table}");
        var oid = (await FirstRow($"SELECT oid FROM pg_statistic_ext WHERE stxrelid = '{table}'::regclass"))[0];
        await using var command = New($"SELECT stxdndistinct FROM pg_statistic_ext_data WHERE stxoid = {oid}");
        await Mode.ExecuteNonQuery(command);
        await using var other = await _source.OpenConnectionAsync();

        command.Connection = other;

        Assert.That(((string)(await FirstRow(command))[0]), Does.Contain("10"));
    }

    [Test]
    public async Task Statements_with_effects_run_once()
    {
        await Run($"CREATE TEMP TABLE person (id serial, mood {Mood})");

        Assert.That(await FirstRow("INSERT INTO person (mood) VALUES ('sad') RETURNING id, mood"), Is.EqualTo(new object[] { 1, "sad" }));
        Assert.That(await FirstRow("UPDATE person SET mood = 'ok' RETURNING mood, id"), Is.EqualTo(new object[] { "ok", 1 }));
        Assert.That(await FirstRow($"SELECT nextval('person_id_seq'), 'ok'::{Mood}"), Is.EqualTo(new object[] { 2L, "ok" }));
        Assert.That(await FirstRow("SELECT count(*), array_agg(mood) FROM person"), Is.EqualTo(new object[] { 1L, "{ok}" }));
    }

    [Test]
    public async Task Every_row_is_converted_each_value_once_or_many_times()
    {
        await using var command = New($"SELECT i, (ARRAY['sad', 'ok'])[i % 2 + 1]::{Mood}, ROW('ok', point(i, i))::unknown_pair FROM generate_series(1, 5000) i");
        var reader = await Mode.ExecuteReader(command);
        var i = 0;
        while (await Mode.Read(reader))
        {
            i++;
            Assert.That(reader.GetInt32(0), Is.EqualTo(i));
            Assert.That(reader.GetString(1), Is.EqualTo(i % 2 == 0 ? "sad" : "ok"));
            Assert.That(reader.GetString(2), Is.EqualTo($"(ok,\"({i},{i})\")"));
        }
        await Mode.Close(reader);
        Assert.That(i, Is.EqualTo(5000));
    }

    [Test]
    public async Task Every_result_of_a_text_is_converted()
    {
        await using var command = New($"SELECT 1; SELECT 'ok'::{Mood}, 2; SELECT 3; SELECT 'ok'::{Mood} WHERE false; SELECT B'11', 'sad'::{Mood}");
        for (var run = 1; run <= 2; run++)
        {
            var reader = await Mode.ExecuteReader(command);
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(reader.GetInt32(0), Is.EqualTo(1));
            Assert.That(await Mode.NextResult(reader), Is.True);
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(Values(reader), Is.EqualTo(new object[] { "ok", 2 }));
            Assert.That(await Mode.Read(reader), Is.False);
            Assert.That(await Mode.NextResult(reader), Is.True);
            Assert.That(await Mode.NextResult(reader), Is.True);
            Assert.That(reader.HasRows, Is.False);
            Assert.That(reader.GetFieldType(0), Is.EqualTo(typeof(string)));
            Assert.That(await Mode.NextResult(reader), Is.True);
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(Values(reader), Is.EqualTo(new object[] { new System.Collections.BitArray([true, true]), "sad" }));
            Assert.That(await Mode.NextResult(reader), Is.False);
            await Mode.Close(reader);
        }
    }

    [Test]
    public async Task An_error_after_the_converted_rows_is_still_thrown([Values] bool inTransaction)
    {
        var transaction = inTransaction ? Fresh.BeginTransaction() : null;
        await using var command = New($"SELECT 'ok'::{Mood}; SELECT 1/0");
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        if (inTransaction) // the transaction has failed: the server converts nothing any more
            Assert.That(Assert.Throws<InvalidCastException>(() => reader.GetValue(0))!.Message, Does.Contain("ordinal 0").And.Contain("Prepare()"));
        else
            Assert.That(reader.GetValue(0), Is.EqualTo("ok"));

        var error = await Catch<PostgresException>(() => Mode.NextResult(reader));

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.DivisionByZero));
        await Mode.Close(reader);
        if (transaction is not null)
            await Mode.Rollback(transaction);
        Assert.That(await FirstRow("SELECT 1"), Is.EqualTo(new object[] { 1 }));
    }

    [Test]
    public async Task Values_that_only_the_transaction_can_see_are_converted()
    {
        var type = "mood_" + Mode;
        var transaction = Fresh.BeginTransaction();
        await Run($"CREATE TYPE {type} AS ENUM ('sad', 'ok'); CREATE TYPE {type}_pair AS (a {type}, b int); CREATE DOMAIN {type}_domain AS {type}");

        Assert.That(await FirstRow($"SELECT 'ok'::{type}, ('sad', 5)::{type}_pair, ARRAY['sad', 'ok']::{type}[], 'ok'::{type}_domain"),
            Is.EqualTo(new object[] { "ok", new object[] { "sad", 5 }, new[] { "sad", "ok" }, "ok" }));
        await Mode.Rollback(transaction);
    }

    [Test]
    public async Task Large_values_are_converted()
    {
        var row = await FirstRow($"SELECT array_fill('sad'::{Mood}, ARRAY[1000000])");

        Assert.That((string)row[0], Has.Length.EqualTo(4_000_001).And.StartsWith("{sad,sad").And.EndsWith("sad}"));
    }

    [Test]
    public async Task More_than_is_kept_is_refused_when_it_is_read_and_never_wrong()
    {
        // The columns of a batch are not asked for before it runs.
        await using var batch = new PgBatch(Fresh) { BatchCommands = { new($"SELECT i, repeat('x', 10000), 'ok'::{Mood} FROM generate_series(1, 5000) i") } };
        var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
        Assert.That(await Mode.Read(reader), Is.True);

        Assert.That(reader.GetInt32(0), Is.EqualTo(1));
        foreach (var read in new Func<object>[] { () => reader.GetValue(2), () => reader.GetString(2), () => reader.GetFieldValue<string>(2) })
            Assert.That(Assert.Throws<InvalidCastException>(() => read())!.Message, Does.Contain("'unknown_mood'").And.Contain("ordinal 2").And.Contain("Prepare()"));
        var rows = 1;
        while (await Mode.Read(reader))
            rows++;
        Assert.That(rows, Is.EqualTo(5000));
        await Mode.Close(reader);

        reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetString(2), Is.EqualTo("ok"));
        await Mode.Close(reader);
    }

    [Test]
    public async Task An_anonymous_record_is_its_fields_unless_one_is_of_a_type_that_is_not_built_in([Values] bool inTransaction)
    {
        var transaction = inTransaction ? Fresh.BeginTransaction() : null;
        Assert.That(await FirstRow("SELECT ROW(1, 'a b')"), Is.EqualTo(new object[] { new object[] { 1, "a b" } }));
        await using var command = New($"SELECT ROW(1, 'ok'::{Mood}), 'ok'::{Mood}");
        for (var run = 1; run <= 2; run++)
        {
            var reader = await Mode.ExecuteReader(command);
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(Assert.Throws<PgException>(() => reader.GetValue(0))!.Message, Does.Contain("record").And.Contain("text"));
            Assert.That(Assert.Throws<PgException>(() => reader.GetString(0))!.Message, Does.Contain("record").And.Contain("text"));
            Assert.That(reader.GetValue(1), Is.EqualTo("ok"));
            await Mode.Close(reader);
        }
        if (transaction is not null)
            await Mode.Commit(transaction);
    }

    [Test]
    public async Task A_type_that_the_server_cannot_send_in_binary_is_asked_for_as_text_at_once()
    {
        await Run("CREATE TEMP TABLE item (id int); GRANT SELECT ON item TO PUBLIC");
        const string Sql = "SELECT relacl, relname FROM pg_class WHERE oid = 'item'::regclass";
        for (var run = 1; run <= 2; run++)
        {
            var row = await FirstRow(Sql);
            Assert.That((string)row[0], Does.StartWith("{").And.Contain("=r/"), $"run {run}");
            Assert.That(row[1], Is.EqualTo("item"));
        }
        await using var unread = New(Sql + " AND true");
        Assert.That(await Mode.ExecuteNonQuery(unread), Is.EqualTo(-1));
        await using var prepared = New(Sql);
        await Mode.Prepare(prepared);
        Assert.That((string)(await FirstRow(prepared))[0], Does.Contain("=r/"));
    }

    [Test]
    public async Task In_a_transaction_such_a_type_is_asked_for_as_text_too([Values] bool hasBegun)
    {
        const string Sql = "SELECT relacl FROM pg_class WHERE relacl IS NOT NULL LIMIT 1";
        var transaction = Fresh.BeginTransaction();
        if (hasBegun)
            await FirstRow("SELECT 1");
        Assert.That((string)(await FirstRow(Sql))[0], Does.StartWith("{"));
        await Mode.Commit(transaction);
    }

    [Test]
    public async Task In_a_batch_such_a_type_is_the_servers_error_once()
    {
        await using var batch = new PgBatch(Fresh) { BatchCommands = { new("SELECT relacl FROM pg_class WHERE relacl IS NOT NULL LIMIT 1") } };

        var error = await Catch<PostgresException>(() => Mode.Run(() => batch.ExecuteScalar(), () => batch.ExecuteScalarAsync()));

        Assert.That((error.SqlState, error.MessageText), Is.EqualTo((SqlStates.UndefinedFunction, "no binary output function available for type aclitem")));
        Assert.That((string?)await Mode.Run(() => batch.ExecuteScalar(), () => batch.ExecuteScalarAsync()), Does.StartWith("{"));
    }

    [Test]
    public async Task Remembered_formats_that_no_longer_fit_are_forgotten_and_the_command_runs_again()
    {
        await Run("CREATE TEMP TABLE host (address unknown_mood); INSERT INTO host VALUES ('here')");
        Assert.That(await FirstRow("SELECT * FROM host"), Is.EqualTo(new object[] { "here" }));
        await Run("ALTER TABLE host ADD id int DEFAULT 5");
        Assert.That(await FirstRow("SELECT * FROM host"), Is.EqualTo(new object[] { "here", 5 }));

        await Run("ALTER TABLE host ADD other int DEFAULT 6");
        var transaction = Fresh.BeginTransaction();
        Assert.That(await FirstRow("SELECT * FROM host"), Is.EqualTo(new object[] { "here", 5, 6 }));
        await Run("ALTER TABLE host ADD more int DEFAULT 7");
        var error = await Catch<PgException>(() => FirstRow("SELECT * FROM host"));
        Assert.That(error.Message, Does.Contain("other columns"));
        await Mode.Rollback(transaction);
        Assert.That(await FirstRow("SELECT * FROM host"), Is.EqualTo(new object[] { "here", 5, 6 }));
    }

    [Test]
    public async Task A_column_that_has_a_codec_now_is_read_as_what_it_is_although_it_was_remembered_as_text()
    {
        await Run("CREATE TEMP TABLE host (address unknown_mood); INSERT INTO host VALUES ('here')");
        Assert.That(await FirstRow("SELECT address FROM host"), Is.EqualTo(new object[] { "here" }));
        await Run("ALTER TABLE host ALTER address TYPE int USING 7");

        for (var run = 1; run <= 2; run++)
            Assert.That(await FirstRow("SELECT address FROM host"), Is.EqualTo(new object[] { 7 }));
    }

    [Test]
    public async Task A_batch_converts_the_results_of_its_commands()
    {
        await using var batch = new PgBatch(Fresh)
        {
            BatchCommands = { new($"SELECT 'ok'::{Mood}"), new($"CREATE TEMP TABLE t (m {Mood})"), new("INSERT INTO t VALUES ('sad') RETURNING m") },
        };
        var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetString(0), Is.EqualTo("ok"));
        Assert.That(await Mode.NextResult(reader), Is.True);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetString(0), Is.EqualTo("sad"));
        await Mode.Close(reader);
        Assert.That(batch.BatchCommands[2].Rows, Is.EqualTo(1));
    }

    [Test]
    public async Task Notices_and_notifications_in_between_are_not_lost()
    {
        var notices = 0;
        var notifications = 0;
        Fresh.Notice += (_, _) => notices++;
        Fresh.Notification += (_, _) => notifications++;
        await Run($"LISTEN unknown_{Mode}; CREATE FUNCTION pg_temp.loud(i int) RETURNS unknown_mood LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '%', i; RETURN 'ok'; END $$");

        var row = await FirstRow($"SELECT pg_temp.loud(1), pg_temp.loud(2), pg_notify('unknown_{Mode.ToString().ToLowerInvariant()}', '')");

        Assert.That(row[0], Is.EqualTo("ok"));
        Assert.That(notices, Is.EqualTo(2));
        Assert.That(await FirstRow("SELECT 1"), Is.EqualTo(new object[] { 1 }));
        Assert.That(notifications, Is.EqualTo(1));
    }

    private PgCommand New(string sql) => new(sql, Fresh);

    private async Task Run(string sql)
    {
        await using var command = New(sql);
        await Mode.ExecuteNonQuery(command);
    }

    private async Task<object[]> FirstRow(string sql)
    {
        await using var command = New(sql);
        return await FirstRow(command);
    }

    private async Task<object[]> FirstRow(PgCommand command)
    {
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        var values = Values(reader);
        await Mode.Close(reader);
        return values;
    }

    private static object[] Values(PgDataReader reader)
    {
        var values = new object[reader.FieldCount];
        reader.GetValues(values);
        return values;
    }
}
