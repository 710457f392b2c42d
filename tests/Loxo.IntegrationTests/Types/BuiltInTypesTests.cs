using Loxo.Types;

namespace Loxo.IntegrationTests.Types;

/// <summary>The table of built-in types against the server's own.</summary>
[TestFixture(WaitMode.Blocking)]
public class BuiltInTypesTests(WaitMode mode) : DatabaseTest(mode)
{
    // What no column and no parameter has, unless somebody looks into the statistics of BRIN indexes.
    private const string Skipped = "('pg_ddl_command', 'pg_brin_bloom_summary', 'pg_brin_minmax_multi_summary')";

    [Test]
    public async Task Every_type_of_the_server_is_in_the_table()
    {
        var rows = await Rows($"""
            SELECT oid, typname, typarray, format_type(oid, NULL)
            FROM pg_type
            WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype IN ('b', 'r', 'm') AND typname NOT IN {Skipped}
              AND NOT EXISTS (SELECT FROM pg_type element WHERE element.oid = pg_type.typelem AND element.typtype = 'c')
            ORDER BY oid
            """);

        Assert.That(rows, Has.Count.GreaterThan(100));
        foreach (var row in rows)
        {
            var type = TypeCatalog.BuiltIn.Find((uint)row[0]!);
            Assert.That(type, Is.Not.Null, $"{row[1]} with OID {row[0]}");
            Assert.That((type!.Name, type.ArrayOid, type.DisplayName), Is.EqualTo(((string)row[1]!, (uint)row[2]!, (string)row[3]!)));
        }
    }

    [Test]
    public async Task Every_type_of_the_table_is_on_the_server()
    {
        var known = (await Rows("SELECT oid, typname FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace")).ToDictionary(row => (uint)row[0]!, row => row[1]);
        foreach (var type in BuiltInTypes.Create(TypeSettings.Default))
            Assert.That(known.GetValueOrDefault(type.Oid), Is.EqualTo(type.Name));
    }

    [TestCase("character varying(10)")]
    [TestCase("character(3)")]
    [TestCase("numeric(10,2)")]
    [TestCase("numeric(3,-2)")]
    [TestCase("timestamp(3) with time zone")]
    [TestCase("time(0) without time zone")]
    [TestCase("interval second(2)")]
    [TestCase("interval year to month")]
    [TestCase("interval(3)")]
    [TestCase("bit(3)")]
    [TestCase("bit varying(5)")]
    [TestCase("character varying(10)[]")]
    [TestCase("\"char\"")]
    [TestCase("regclass")]
    public async Task A_column_type_is_shown_as_the_server_shows_it(string type)
    {
        await using var command = Command($"SELECT NULL::{type}");
        await using var reader = await Mode.ExecuteReader(command);
        Assert.That(reader.GetDataTypeName(0), Is.EqualTo(type));
    }

    // On its first run a statement asks for binary, for its columns are not known yet; prepared, it gets text. Both have to look the same.
    [TestCase("int4range", "[1,5)")]
    [TestCase("int8range", "empty")]
    [TestCase("numrange", "(,1.50]")]
    [TestCase("tsrange", "[\"2024-01-01 00:00:00\",infinity)")]
    [TestCase("daterange", "[2024-01-01,)")]
    [TestCase("int4multirange", "{[1,3),[5,8)}")]
    [TestCase("tsrange[]", "{\"[\\\"2024-01-01 00:00:00\\\",)\",NULL}")]
    [TestCase("point[]", "[0:1][2:2]={{\"(1,2)\"},{NULL}}")]
    [TestCase("inet", "192.168.0.1/24")]
    [TestCase("inet", "::ffff:1.2.3.4")]
    [TestCase("inet", "fe80::1:0:0:1")]
    [TestCase("cidr", "10.0.0.0/8")]
    [TestCase("macaddr", "08:00:2b:01:02:03")]
    [TestCase("macaddr8", "08:00:2b:01:02:03:04:05")]
    [TestCase("tsvector", @"'a':1A,2 'b\\c':3 'it''s'")]
    [TestCase("tsquery", "!'a':*AB & ( 'b' | 'c' ) <-> 'd' <2> ( 'e' <-> 'f' )")]
    [TestCase("tsquery", "'a' <-> 'b' <-> ( 'c' <-> 'd' ) | !( 'e' & 'f' )")]
    [TestCase("tsquery[]", "{\"'a' & 'b'\",NULL}")]
    [TestCase("inet[]", "{192.168.0.1,NULL}")]
    [TestCase("point", "(1.5,-2e-07)")]
    [TestCase("line", "{1,2,3}")]
    [TestCase("lseg", "[(1,2),(3,4)]")]
    [TestCase("box", "(3,4),(1,2)")]
    [TestCase("path", "[(1,2),(3,4)]")]
    [TestCase("polygon", "((1,2),(3,4),(5,6))")]
    [TestCase("circle", "<(1,2),1e+20>")]
    [TestCase("box[]", "{(3,4),(1,2);NULL}")]
    [TestCase("bit(3)", "101")]
    [TestCase("bit varying", "1010101010")]
    [TestCase("tid", "(1,2)")]
    [TestCase("pg_lsn", "16/B374D848")]
    [TestCase("pg_snapshot", "10:20:10,14,15")]
    public async Task A_type_is_exchanged_as_text_whatever_else_it_is_read_as(string type, string text)
    {
        var parameter = new PgParameter { Value = text, DataTypeName = type };
        await using var command = Command($"SELECT '{text.Replace("'", "''")}'::{type}, $1, format('%s', $1)", parameter);
        foreach (var isPrepared in new[] { false, true })
        {
            if (isPrepared)
                await Mode.Prepare(command);
            await using var reader = await Mode.ExecuteReader(command);
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(new[] { reader.GetString(0), reader.GetString(1), reader.GetString(2) }, Is.EqualTo(new[] { text, text, text }), $"prepared: {isPrepared}");
        }
    }

    [TestCase("ROW(1, NULL, 'a b', ''::text, 'x\"y\\z', '{1,2}'::int[], true, 1.5e20::float8, '(1,2)'::point, 'NULL', 12.34::money, ROW(1.50, DATE '2024-02-29'))")]
    [TestCase("ARRAY[ROW(1, 'a'), ROW(NULL, 'b c')]")]
    [TestCase("ROW()")]
    public async Task A_record_is_read_as_text(string sql)
    {
        await Execute("SET lc_monetary = 'C'");
        await using var command = Command($"SELECT {sql}, ({sql})::text");
        await using var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetString(0).Replace("12.34", "$12.34"), Is.EqualTo(reader.GetString(1)));
    }

    [Test]
    public async Task Statistics_are_read()
    {
        await Rows("CREATE TABLE with_statistics AS SELECT n % 2 AS n FROM generate_series(1, 100) n; ANALYZE with_statistics");
        Assert.That(await Rows("SELECT most_common_vals, most_common_freqs FROM pg_stats WHERE tablename = 'with_statistics'"),
            Is.EqualTo(new[] { new object[] { "{0,1}", new[] { 0.5f, 0.5f } } }));
        await Rows("DROP TABLE with_statistics");
    }

    [Test]
    public async Task A_function_without_a_result_returns_DBNull() => Assert.That(await Rows("SELECT pg_sleep(0)"), Is.EqualTo(new[] { new object?[] { null } }));
}
