using System.Data;
using System.Data.Common;

namespace Loxo.IntegrationTests.Reader;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class SchemaTests(WaitMode mode) : DatabaseTest(mode)
{
    private static readonly string[] Names =
    [
        "ColumnName", "ColumnOrdinal", "ColumnSize", "NumericPrecision", "NumericScale", "IsUnique", "IsKey", "BaseServerName", "BaseCatalogName",
        "BaseColumnName", "BaseSchemaName", "BaseTableName", "DataType", "AllowDBNull", "ProviderType", "IsAliased", "IsExpression", "IsIdentity",
        "IsAutoIncrement", "IsRowVersion", "IsHidden", "IsLong", "IsReadOnly", "ProviderSpecificDataType", "DataTypeName",
    ];

    [SetUp]
    public Task CreateTable() => Execute("""
        CREATE TEMP TABLE item (id int PRIMARY KEY, name varchar(30) NOT NULL, price numeric(10, 2), total numeric, at timestamp(3), data bytea, tags text[]);
        INSERT INTO item VALUES (1, 'one', 1.50, 2, '2024-01-02', '\x01', '{a,b}'), (2, 'two', NULL, NULL, NULL, NULL, NULL)
        """);

    [Test]
    public async Task The_schema_table_has_the_25_columns()
    {
        var table = await SchemaTable("SELECT * FROM item");

        Assert.That(table!.Columns.Cast<DataColumn>().Select(column => column.ColumnName), Is.EqualTo(Names));
        Assert.That(table.Rows, Has.Count.EqualTo(7));
    }

    [Test]
    public async Task The_schema_table_tells_names_types_and_facets()
    {
        var table = (await SchemaTable("SELECT id, name, price, total, at, 1 + 1 AS sum FROM item"))!;

        Assert.That(Column(table, "ColumnName"), Is.EqualTo(new[] { "id", "name", "price", "total", "at", "sum" }));
        Assert.That(Column(table, "ColumnOrdinal"), Is.EqualTo(new[] { 0, 1, 2, 3, 4, 5 }));
        Assert.That(Column(table, "ColumnSize"), Is.EqualTo(new[] { 4, 30, -1, -1, 8, 4 }));
        Assert.That(Column(table, "NumericPrecision"), Is.EqualTo(new object[] { DBNull.Value, DBNull.Value, 10, DBNull.Value, DBNull.Value, DBNull.Value }));
        Assert.That(Column(table, "NumericScale"), Is.EqualTo(new object[] { DBNull.Value, DBNull.Value, 2, DBNull.Value, 3, DBNull.Value }));
        Assert.That(Column(table, "DataType"), Is.EqualTo(new[] { typeof(int), typeof(string), typeof(decimal), typeof(decimal), typeof(DateTime), typeof(int) }));
        Assert.That(Column(table, "ProviderSpecificDataType"), Is.EqualTo(Column(table, "DataType")));
        Assert.That(Column(table, "DataTypeName"),
            Is.EqualTo(new[] { "integer", "character varying", "numeric", "numeric", "timestamp without time zone", "integer" }));
        Assert.That(Column(table, "ProviderType").Cast<int>().Select(value => (PgDbType)value),
            Is.EqualTo(new[] { PgDbType.Integer, PgDbType.Varchar, PgDbType.Numeric, PgDbType.Numeric, PgDbType.Timestamp, PgDbType.Integer }));
        Assert.That(Column(table, "IsExpression"), Is.EqualTo(new[] { false, false, false, false, false, true }));
    }

    [Test]
    public async Task What_a_description_does_not_carry_is_DBNull()
    {
        var table = (await SchemaTable("SELECT id FROM item"))!;

        foreach (var name in new[] { "IsUnique", "IsKey", "AllowDBNull", "BaseTableName", "BaseSchemaName", "IsIdentity", "IsAutoIncrement", "IsReadOnly" })
            Assert.That(table.Rows[0][name], Is.EqualTo(DBNull.Value), name);
    }

    [Test]
    public async Task The_column_schema_tells_where_columns_come_from()
    {
        await using var command = Command("SELECT name, data, tags, 1 AS one, xmin FROM item");
        var reader = await Mode.ExecuteReader(command);
        var columns = await Mode.Run(reader.GetColumnSchema, () => reader.GetColumnSchemaAsync());
        await Mode.Close(reader);
        var table = await Scalar<uint>("SELECT 'item'::regclass::oid");

        Assert.That(columns.Select(column => column.ColumnName), Is.EqualTo(new[] { "name", "data", "tags", "one", "xmin" }));
        Assert.That(columns.Select(column => column.TableOID), Is.EqualTo(new[] { table, table, table, 0u, table }));
        Assert.That(columns.Select(column => column.ColumnAttributeNumber), Is.EqualTo(new short?[] { 2, 6, 7, null, -2 }));
        Assert.That(columns.Select(column => column.TypeOID), Is.EqualTo(new[] { 1043u, 17u, 1009u, 23u, 28u }));
        Assert.That(columns.Select(column => column.PgDbType), Is.EqualTo(new PgDbType?[]
            { PgDbType.Varchar, PgDbType.Bytea, PgDbType.Array | PgDbType.Text, PgDbType.Integer, PgDbType.Xid }));
        Assert.That(columns[1].IsLong, Is.True);
        Assert.That(columns[2].DataType, Is.EqualTo(typeof(string[])));
        Assert.That(columns[0]["TypeOID"], Is.EqualTo(1043u));
        Assert.That(columns[0]["ColumnSize"], Is.EqualTo(30));
    }

    [Test]
    public async Task The_frameworks_way_to_the_column_schema_works()
    {
        await using var command = Command("SELECT id FROM item");
        DbDataReader reader = await Mode.ExecuteReader(command);

        Assert.That(reader.CanGetColumnSchema(), Is.True);
        var columns = await Mode.Run(reader.GetColumnSchema, () => reader.GetColumnSchemaAsync());
        Assert.That(columns.Single().ColumnName, Is.EqualTo("id"));
        Assert.That(columns.Single().DataType, Is.EqualTo(typeof(int)));

        await Mode.Close(reader);
    }

    [Test]
    public async Task The_schema_follows_the_result_and_is_null_without_one()
    {
        await using var command = Command("SELECT 1 AS a; SELECT 'x' AS b, 2 AS c");
        var reader = await Mode.ExecuteReader(command);
        Assert.That(reader.GetSchemaTable()!.Rows, Has.Count.EqualTo(1));
        Assert.That(await Mode.NextResult(reader), Is.True);
        Assert.That(reader.GetColumnSchema().Select(column => column.ColumnName), Is.EqualTo(new[] { "b", "c" }));
        Assert.That(await Mode.NextResult(reader), Is.False);
        Assert.That(reader.GetSchemaTable(), Is.Null);
        Assert.That(reader.GetColumnSchema(), Is.Empty);
        await Mode.Close(reader);
        Assert.Throws<InvalidOperationException>(() => reader.GetSchemaTable());
        Assert.Throws<InvalidOperationException>(() => reader.GetColumnSchema());
        await Catch<InvalidOperationException>(() => reader.GetColumnSchemaAsync());
    }

    [Test]
    public async Task SchemaOnly_gives_the_schema_of_a_query_that_does_not_run()
    {
        await using var command = Command("SELECT name FROM item WHERE 1 / 0 = 1");
        var reader = await Mode.ExecuteReader(command, CommandBehavior.SchemaOnly);

        var column = reader.GetColumnSchema().Single();

        Assert.That((column.ColumnName, column.ColumnSize, column.DataTypeName), Is.EqualTo(("name", (int?)30, "character varying")));
        await Mode.Close(reader);
    }

    [Test]
    public async Task A_data_table_loads_what_the_reader_reads()
    {
        await using var command = Command("SELECT * FROM item ORDER BY id; SELECT 5 AS five");
        var reader = await Mode.ExecuteReader(command);
        using var items = new DataTable();
        using var five = new DataTable();

        items.Load(reader);
        five.Load(reader);

        Assert.That(items.Columns.Cast<DataColumn>().Select(column => column.DataType),
            Is.EqualTo(new[] { typeof(int), typeof(string), typeof(decimal), typeof(decimal), typeof(DateTime), typeof(byte[]), typeof(string[]) }));
        Assert.That(items.Columns["name"]!.MaxLength, Is.EqualTo(30));
        Assert.That(items.Rows, Has.Count.EqualTo(2));
        Assert.That(items.Rows[0]["tags"], Is.EqualTo(new[] { "a", "b" }));
        Assert.That(items.Rows[1]["price"], Is.EqualTo(DBNull.Value));
        Assert.That(five.Rows[0]["five"], Is.EqualTo(5));
        Assert.That(reader.IsClosed, Is.True);
        await AssertUsable();
    }

    private async Task<DataTable?> SchemaTable(string sql)
    {
        await using var command = Command(sql);
        var reader = await Mode.ExecuteReader(command);
        var table = await Mode.Run(reader.GetSchemaTable, () => reader.GetSchemaTableAsync());
        await Mode.Close(reader);
        return table;
    }

    private static IEnumerable<object> Column(DataTable table, string name) => table.Rows.Cast<DataRow>().Select(row => row[name]);
}
