using System.Data;

namespace Loxo.IntegrationTests.Copy;

/// <summary>Rows that a reader of Loxo reads and PgBulkCopy writes: the server has to find them equal.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class BulkFromReaderTests(WaitMode mode) : DatabaseTest(mode)
{
    private string _prefix = "";
    private string _target = "";

    public enum Mood
    {
        Sad,
        Happy,
    }

    // Type, an ordinary value, and one at the edge of what the type holds, beyond .NET's types where it can be.
    private static readonly (string Type, string Value, string Edge)[] Columns =
    [
        ("int2", "7", "-32768"), ("int4", "7", "-2147483648"), ("int8", "7", "-9223372036854775808"), ("float4", "1.5", "NaN"), ("float8", "-0", "-Infinity"),
        ("numeric", "12.340", "1e400"), ("numeric(10,3)", "12.340", "NaN"), ("text", "zwölf 😀", ""), ("varchar(20)", "abc", " "), ("bpchar(5)", "ab", ""), ("name", "n", ""),
        ("\"char\"", "c", ""), ("bool", "true", "false"), ("bytea", @"\x00ff", @"\x"), ("date", "2024-02-29", "-infinity"), ("time", "12:34:56.789", "24:00"),
        ("timetz", "12:34:56+05:30", "24:00-15:59"), ("timestamp", "2024-02-29 12:34:56.789012", "4713-01-01 BC"), ("timestamptz", "2024-02-29 12:34:56.789012+00", "infinity"),
        ("interval", "1 year 2 mons -3 days 04:05:06.7", "-178000000 years"), ("uuid", "00112233-4455-6677-8899-aabbccddeeff", "ffffffff-ffff-ffff-ffff-ffffffffffff"),
        ("json", """{"a" : [1,  2]}""", "\"\""), ("jsonb", """{"a": [1, 2]}""", "1e400"), ("jsonpath", "$.\"a\"[*]", "$"), ("inet", "10.1.2.3/8", "::1"), ("cidr", "10.0.0.0/8", "::/0"),
        ("macaddr", "08:00:2b:01:02:03", "ff:ff:ff:ff:ff:ff"), ("macaddr8", "08:00:2b:01:02:03:04:05", "00:00:00:00:00:00:00:00"), ("point", "(1.5,-2)", "(NaN,Infinity)"),
        ("line", "{1,2,3}", "{0,1,0}"), ("lseg", "[(1,2),(3,4)]", "[(0,0),(0,0)]"), ("box", "(3,4),(1,2)", "(0,0),(0,0)"), ("path", "((1,2),(3,4))", "[(1,2)]"),
        ("polygon", "((1,2),(3,4),(5,6))", "((0,0))"), ("circle", "<(1,2),3>", "<(0,0),0>"), ("bit(3)", "101", "000"), ("varbit", "10101", ""), ("money", "12.34", "-92233720368547758.08"),
        ("oid", "7", "4294967295"), ("regclass", "pg_class", "0"), ("xid", "7", "4294967295"), ("xid8", "7", "18446744073709551615"), ("tid", "(0,1)", "(4294967295,65535)"),
        ("pg_lsn", "16/B374D848", "FFFFFFFF/FFFFFFFF"), ("tsvector", "'fat':2A 'rat':3", ""), ("tsquery", "'fat' & !'rat':A", "a <3> b:*"), ("txid_snapshot", "10:20:10,14,15", "10:10:"),
        ("int4range", "[1,5)", "empty"), ("tstzrange", "[2024-01-01 00:00:00+00,)", "(,)"), ("nummultirange", "{[1,2),[3,4)}", "{}"), ("int4[]", "{1,NULL,3}", "{}"),
        ("text[]", "{{a,\"b,c\"},{NULL,\"\"}}", "[5:6]={a,b}"), ("numeric[]", "{1.50,NaN}", "{1e300}"), ("jsonb[]", "{\"{\\\"a\\\": 1}\"}", "{NULL}"), ("int2vector", "1 2", "3"),
        (".mood", "sad", "happy"), (".mood[]", "{sad,NULL}", "{}"), (".positive", "1", "2147483647"), (".pair", "(1,a)", "(,)"),
    ];

    [OneTimeSetUp]
    public async Task CreateTypes()
    {
        _prefix = "passed_on_" + Guid.NewGuid().ToString("N")[..10];
        await using var connection = await OpenAnother();
        foreach (var sql in new[]
        {
            $"CREATE SCHEMA {_prefix}", $"CREATE TYPE {_prefix}.mood AS ENUM ('sad', 'happy')", $"CREATE DOMAIN {_prefix}.positive AS int CHECK (VALUE > 0)",
            $"CREATE TYPE {_prefix}.pair AS (a int, b text)",
            $"CREATE TABLE {_prefix}.source (id int, {string.Join(", ", Columns.Select((column, i) => $"c{i} {Name(column.Type)}"))})",
            $"INSERT INTO {_prefix}.source VALUES (0, {Values(column => column.Value)}), (1, {Values(column => column.Edge)})",
            $"INSERT INTO {_prefix}.source (id) VALUES (2)",
            $"INSERT INTO {_prefix}.source SELECT i, (SELECT c0 FROM {_prefix}.source WHERE id = i % 3) FROM generate_series(3, 2000) i",
        })
            await Run(connection, sql);

        string Values(Func<(string Type, string Value, string Edge), string> of) =>
            string.Join(", ", Columns.Select(column => $"'{of(column).Replace("'", "''", StringComparison.Ordinal)}'::{Name(column.Type)}"));

        string Name(string type) => type[0] == '.' ? _prefix + type : type;
    }

    [OneTimeTearDown]
    public async Task DropTypes()
    {
        await using var connection = await OpenAnother();
        await Run(connection, $"DROP SCHEMA {_prefix} CASCADE");
    }

    [Test]
    public async Task Values_of_every_type_arrive_as_they_were([Values] bool isSequential)
    {
        await using var from = await Open(Source());
        await using var to = await Open(Source());
        await CreateTarget(to, $"(LIKE {_prefix}.source)");
        await Copy(from, to, $"SELECT * FROM {_prefix}.source", isSequential);
        await AssertEqual(to, $"SELECT s::text FROM {_prefix}.source s", $"SELECT t::text FROM {_target} t");
    }

    [Test]
    public async Task Rows_of_the_same_columns_arrive_as_they_were([Values] bool isSequential)
    {
        await using var from = await Open(Source());
        await using var to = await Open(Source());
        // The server refuses some values of these types in binary, and types of the user's may be mapped: such rows do not go on as a whole.
        var columns = Columns.Index().Where(column => column.Item.Type is not ("tsquery" or "int2vector") && column.Item.Type[0] != '.');
        var query = $"SELECT id, {string.Join(", ", columns.Select(column => $"c{column.Index}"))} FROM {_prefix}.source";
        await CreateTarget(to, $"AS {query} WITH NO DATA");
        await Copy(from, to, query, isSequential);
        await AssertEqual(to, $"SELECT s::text FROM ({query}) s", $"SELECT t::text FROM {_target} t");
    }

    [Test]
    public async Task Columns_may_have_another_order_and_go_to_several_columns()
    {
        await using var from = await Open(Source());
        await using var to = await Open(Source());
        await CreateTarget(to, "(b text, a int4, wide int8, id int4, narrow int2)");
        var bulk = new PgBulkCopy(to) { DestinationTableName = _target };
        foreach (var (source, target) in new[] { ("id", "id"), ("id", "wide"), ("a", "a"), ("b", "b"), ("id", "narrow") })
            bulk.ColumnMappings.Add(new(source, target));
        await Copy(from, bulk, $"SELECT id, c1 AS a, c7 AS b FROM {_prefix}.source");
        await AssertEqual(to, $"SELECT s::text FROM (SELECT c7, c1, id, id AS again, id AS last FROM {_prefix}.source) s", $"SELECT t::text FROM {_target} t");
    }

    [Test]
    public async Task A_table_that_is_altered_between_two_batches_gets_values_of_its_new_type()
    {
        await using var from = await Open(Source());
        await using var to = await Open(Source());
        await using var other = await OpenAnother();
        await CreateTarget(to, "(id int4, a int4)");
        var bulk = new PgBulkCopy(to) { DestinationTableName = _target, BatchSize = 500, CommitsEachBatch = true };
        var batches = 0;
        bulk.RowsCopied += (_, _) =>
        {
            if (++batches != 2)
                return;
            using var command = new PgCommand($"ALTER TABLE {_target} ALTER a TYPE int8", other);
            command.ExecuteNonQuery();
        };
        await Copy(from, bulk, $"SELECT id, id AS a FROM {_prefix}.source");
        Assert.That(batches, Is.EqualTo(5));
        await AssertEqual(to, $"SELECT s::text FROM (SELECT id, id FROM {_prefix}.source) s", $"SELECT t::text FROM {_target} t");
    }

    [Test]
    public async Task Where_types_are_mapped_the_values_become_those_of_NET([Values] bool atTheSource)
    {
        var mapped = Source();
        mapped.MapEnum<Mood>($"{_prefix}.mood");
        await using var from = await Open(atTheSource ? mapped : Source());
        await using var to = await Open(atTheSource ? Source() : mapped);
        await CreateTarget(to, "(id int, a int4, b text, c timestamptz)");
        await Copy(from, to, $"SELECT id, c1 AS a, c7 AS b, '2024-01-01Z'::timestamptz AS c FROM {_prefix}.source", isSequential: false);
        await AssertEqual(to, $"SELECT s::text FROM (SELECT id, c1, c7, '2024-01-01Z'::timestamptz FROM {_prefix}.source) s", $"SELECT t::text FROM {_target} t");

        // No decimal holds this number, so it shows which way a value goes.
        await CreateTarget(to, "(a numeric)");
        Assert.That(async () => await Copy(from, to, "SELECT 1e400::numeric AS a", isSequential: false), Throws.Exception.With.Message.Contains("numeric"));
    }

    [Test]
    public async Task Values_of_another_type_are_converted()
    {
        await using var from = await Open(Source());
        await using var to = await Open(Source());
        await CreateTarget(to, $"(id int8, a int8, b float8, c text, d varchar(30), e numeric, f {_prefix}.positive)");
        var query = $"SELECT id, c0 AS a, 1.5::float4 AS b, c8 AS c, 'zwölf'::text AS d, id AS e, id + 1 AS f FROM {_prefix}.source";
        await Copy(from, to, query, isSequential: false);
        await AssertEqual(to, $"SELECT s::text FROM ({query}) s", $"SELECT t::text FROM {_target} t");
    }

    [Test]
    public async Task Long_values_arrive_as_they_were([Values] bool isSequential)
    {
        await using var from = await Open(Source());
        await using var to = await Open(Source());
        await CreateTarget(to, "(id int, a text, b bytea, c int[])");
        const string Query = "SELECT i AS id, repeat('ä' || i, i * 30000) AS a, decode(repeat(md5(i::text), i * 5000), 'hex') AS b, array_fill(i, ARRAY[i * 10000]) AS c FROM generate_series(0, 9) i";
        await Copy(from, to, Query, isSequential);
        await AssertEqual(to, $"SELECT md5(s::text) FROM ({Query}) s", $"SELECT md5(t::text) FROM {_target} t");
    }

    [Test]
    public async Task A_value_that_the_target_refuses_is_named_and_nothing_is_copied()
    {
        await using var from = await Open(Source());
        await using var to = await Open(Source());
        await CreateTarget(to, "(id int, a varchar(3))");
        var error = await Catch<PostgresException>(
            () => Copy(from, to, "SELECT i AS id, CASE WHEN i = 70 THEN 'long' ELSE 'abc' END::varchar AS a FROM generate_series(0, 99) i", isSequential: false));
        Assert.That(error.SqlState, Is.EqualTo(SqlStates.StringDataRightTruncation));
        Assert.That(error.FailedRow, Is.EqualTo(70));
        await using var count = new PgCommand($"SELECT count(*) FROM {_target}", to);
        Assert.That(await Mode.ExecuteScalar(count), Is.Zero);
    }

    private PgDataSourceBuilder Source() => new($"{ConnectionString};Pooling=false");

    private async Task<PgConnection> Open(PgDataSourceBuilder builder)
    {
        var connection = builder.Build().CreateConnection();
        await Mode.Open(connection);
        return connection;
    }

    private Task CreateTarget(PgConnection connection, string columns)
    {
        _target = $"{_prefix}.target_{Guid.NewGuid():N}";
        return Run(connection, $"CREATE TABLE {_target} {columns}");
    }

    private async Task Run(PgConnection connection, string sql)
    {
        await using var command = new PgCommand(sql, connection);
        await Mode.ExecuteNonQuery(command);
    }

    private async Task Copy(PgConnection from, PgConnection to, string query, bool isSequential)
    {
        await using var command = new PgCommand(query, from);
        await using var reader = await Mode.ExecuteReader(command, isSequential ? CommandBehavior.SequentialAccess : CommandBehavior.Default);
        var bulk = new PgBulkCopy(to) { DestinationTableName = _target };
        await Mode.Run(() => bulk.WriteToServer(reader), () => bulk.WriteToServerAsync(reader));
    }

    private async Task Copy(PgConnection from, PgBulkCopy bulk, string query)
    {
        await using var command = new PgCommand(query, from);
        await using var reader = await Mode.ExecuteReader(command);
        await Mode.Run(() => bulk.WriteToServer(reader), () => bulk.WriteToServerAsync(reader));
    }

    private async Task AssertEqual(PgConnection connection, string expected, string actual)
    {
        await using var command = new PgCommand(
            $"SELECT (SELECT count(*) FROM (({expected}) EXCEPT ALL ({actual})) x), (SELECT count(*) FROM (({actual}) EXCEPT ALL ({expected})) x), (SELECT count(*) FROM ({actual}) x)", connection);
        await using var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That((reader.GetInt64(0), reader.GetInt64(1)), Is.EqualTo((0L, 0L)));
        Assert.That(reader.GetInt64(2), Is.Positive);
    }
}
