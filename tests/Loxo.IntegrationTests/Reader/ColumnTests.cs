using System.Data;

namespace Loxo.IntegrationTests.Reader;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class ColumnTests(WaitMode mode) : DatabaseTest(mode)
{
    [Test]
    public async Task GetOrdinal_prefers_the_exact_name_and_falls_back_to_a_loose_one()
    {
        await using var command = Command("SELECT 1 AS \"Name\", 2 AS name, 3 AS \"Other\", 4 AS \"Ünïque\", 5 AS other");
        var reader = await Mode.ExecuteReader(command);

        Assert.That(reader.GetOrdinal("name"), Is.EqualTo(1));
        Assert.That(reader.GetOrdinal("Name"), Is.EqualTo(0));
        Assert.That(reader.GetOrdinal("NAME"), Is.EqualTo(0));
        Assert.That(reader.GetOrdinal("other"), Is.EqualTo(4));
        Assert.That(reader.GetOrdinal("OTHER"), Is.EqualTo(2));
        Assert.That(reader.GetOrdinal("ünïque"), Is.EqualTo(3));
        Assert.That(Assert.Throws<IndexOutOfRangeException>(() => reader.GetOrdinal("nobody"))!.Message, Does.Contain("'nobody'"));
        Assert.Throws<ArgumentNullException>(() => reader.GetOrdinal(null!));
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader["name"], Is.EqualTo(2));
        Assert.Throws<IndexOutOfRangeException>(() => _ = reader["nobody"]);
        await Mode.Close(reader);
    }

    [Test]
    public async Task An_ordinal_that_there_is_not_is_refused_with_the_count()
    {
        await using var command = Command("SELECT 1, 2");
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);

        foreach (var ordinal in new[] { -1, 2, int.MaxValue })
        {
            foreach (var call in new Action[]
                { () => reader.GetInt32(ordinal), () => reader.GetValue(ordinal), () => reader.IsDBNull(ordinal), () => reader.GetName(ordinal),
                  () => reader.GetFieldType(ordinal), () => reader.GetDataTypeName(ordinal), () => reader.GetDataTypeOID(ordinal), () => _ = reader[ordinal] })
                Assert.That(Assert.Throws<IndexOutOfRangeException>(() => call())!.Message, Does.Contain("has 2"));
        }
        await Mode.Close(reader);
    }

    [Test]
    public async Task GetDataTypeName_writes_the_type_as_SQL_does_with_its_facets()
    {
        await Execute("""
            CREATE TEMP TABLE item (a int, b varchar(10), c varchar, d char(3), e numeric(10, 2), f numeric, g timestamp(3), h timestamptz, i time(0) with time zone,
                j interval year to month, k bit(4), l varchar(5)[], m text, n bytea, o double precision, p "char", q oid, r interval(2))
            """);
        await using var command = Command("SELECT * FROM item");
        await using var names = Command("SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'item'::regclass AND attnum > 0 ORDER BY attnum");
        var reader = await Mode.ExecuteReader(command);
        var ours = Enumerable.Range(0, reader.FieldCount).Select(reader.GetDataTypeName).ToList();
        await Mode.Close(reader);

        var servers = (await Rows(names.CommandText)).Select(row => (string)row[0]!).ToList();

        Assert.That(ours, Is.EqualTo(servers));
    }

    [Test]
    public async Task Columns_are_known_before_the_first_row_and_after_the_last()
    {
        await using var command = Command("SELECT 1 AS a, 'x' AS b");
        var reader = await Mode.ExecuteReader(command);
        for (var i = 0; i < 3; i++)
        {
            Assert.That(reader.FieldCount, Is.EqualTo(2));
            Assert.That(reader.VisibleFieldCount, Is.EqualTo(2));
            Assert.That(reader.GetName(1), Is.EqualTo("b"));
            Assert.That(reader.GetDataTypeOID(0), Is.EqualTo(23));
            Assert.That(reader.IsOnRow, Is.EqualTo(i == 1));
            Assert.That(reader.HasRows, Is.True);
            await Mode.Read(reader);
        }
        await Mode.Close(reader);
    }

    [Test]
    public async Task RecordsAffected_is_minus_one_for_queries_and_the_sum_of_changes()
    {
        await Execute("CREATE TEMP TABLE item (id int)");
        await using var query = Command("SELECT 1");
        var reader = await Mode.ExecuteReader(query);
        Assert.That(reader.RecordsAffected, Is.EqualTo(-1));
        await Mode.Close(reader);
        Assert.That(reader.RecordsAffected, Is.EqualTo(-1));

        await using var changes = Command("INSERT INTO item VALUES (1), (2) RETURNING id; SELECT 1; UPDATE item SET id = id + 1; DELETE FROM item WHERE false");
        reader = await Mode.ExecuteReader(changes);
        while (await Mode.NextResult(reader))
        {
        }
        Assert.That(reader.RecordsAffected, Is.EqualTo(4));
        await Mode.Close(reader);
    }

    [Test]
    public async Task The_reader_can_be_enumerated()
    {
        await using var command = Command("SELECT i, 'x' || i AS name FROM generate_series(1, 3) i");
        var reader = await Mode.ExecuteReader(command);

        var names = reader.Cast<System.Data.Common.DbDataRecord>().Select(record => record.GetString(1)).ToList();

        Assert.That(names, Is.EqualTo(new[] { "x1", "x2", "x3" }));
        await Mode.Close(reader);
    }

    [Test]
    public async Task The_same_name_twice_finds_the_first()
    {
        await using var command = Command("SELECT 1 AS a, 2 AS a");
        var reader = await Mode.ExecuteReader(command);

        Assert.That(reader.GetOrdinal("a"), Is.Zero);

        await Mode.Close(reader);
    }

    [Test]
    public async Task A_DataTable_loads_the_result_of_a_function_that_returns_nothing()
    {
        await using var command = Command("SELECT pg_sleep(0)");
        using var table = new DataTable();
        await using (var reader = await Mode.ExecuteReader(command))
            table.Load(reader);

        Assert.That((table.Columns[0].DataType, table.Rows[0][0]), Is.EqualTo((typeof(object), (object)DBNull.Value)));
    }

    [Test]
    public async Task A_NULL_of_type_void_is_DBNull()
    {
        await using var command = Command("SELECT CASE WHEN false THEN pg_sleep(0) END");

        Assert.That(await Mode.ExecuteScalar(command), Is.SameAs(DBNull.Value));
    }

    [Test]
    public async Task Names_of_columns_may_be_anything()
    {
        await using var command = Command("SELECT 1 AS \"\"\"quoted\"\"\", 2 AS \" \", 3 AS \"日本\", 4 AS \"" + new string('x', 63) + "\"");
        var reader = await Mode.ExecuteReader(command);

        Assert.That(Enumerable.Range(0, 4).Select(reader.GetName), Is.EqualTo(new[] { "\"quoted\"", " ", "日本", new string('x', 63) }));

        await Mode.Close(reader);
    }
}
