using System.Data;
using System.Data.Common;

namespace Loxo.Conformance.Rules;

[TestFixtureSource(typeof(Drivers), nameof(Drivers.All))]
public sealed class SchemaRules(Driver driver, WaitMode mode) : RuleTest(driver, mode)
{
    private const string Columns = "SELECT 1 AS a, 'b' AS b, 2.5 AS c";

    [Rule(typeof(DbDataReader), nameof(DbDataReader.GetSchemaTable))]
    public async Task A_schema_table_has_the_documented_columns()
    {
        await using var reader = await Read(Columns);
        var table = (await Mode.Run(reader.GetSchemaTable, () => reader.GetSchemaTableAsync()))!;

        Assert.That(table.TableName, Is.EqualTo("SchemaTable"));
        Assert.That(table.Columns.Cast<DataColumn>().Select(column => column.ColumnName), Is.SupersetOf(new[]
        {
            "ColumnName", "ColumnOrdinal", "ColumnSize", "NumericPrecision", "NumericScale", "DataType", "ProviderType", "IsLong", "AllowDBNull",
            "IsReadOnly", "IsRowVersion", "IsUnique", "IsKey", "IsAutoIncrement", "BaseSchemaName", "BaseCatalogName", "BaseTableName",
            "BaseColumnName",
        }));
    }

    [Rule(typeof(DbDataReader), nameof(DbDataReader.GetSchemaTable))]
    public async Task A_schema_table_has_a_row_for_each_column()
    {
        await using var reader = await Read(Columns);
        var rows = reader.GetSchemaTable()!.Rows.Cast<DataRow>().ToArray();

        Assert.That(rows.Select(row => row["ColumnName"]), Is.EqualTo(new[] { "a", "b", "c" }));
        Assert.That(rows.Select(row => row["ColumnOrdinal"]), Is.EqualTo(new[] { 0, 1, 2 }));
        Assert.That(rows.Select(row => row["DataType"]), Is.EqualTo(Enumerable.Range(0, 3).Select(reader.GetFieldType)));
    }

    [Rule(typeof(DbDataReader), nameof(DbDataReader.GetSchemaTable))]
    public async Task A_closed_reader_has_no_schema_table()
    {
        var reader = await Read(Columns);
        await Mode.Close(reader);

        Refused<InvalidOperationException>(() => Mode.Run(reader.GetSchemaTable, () => reader.GetSchemaTableAsync()));
    }

    [Rule(typeof(DbDataReader), nameof(DbDataReader.GetSchemaTable))]
    public async Task Without_a_result_there_is_no_schema_table()
    {
        await using var reader = await Read("CREATE TEMP TABLE no_schema (x int)");

        Assert.That(reader.GetSchemaTable(), Is.Null);
    }

    [Rule(typeof(DbDataReader), nameof(DbDataReader.GetColumnSchemaAsync))]
    public async Task Columns_are_described()
    {
        await using var reader = await Read(Columns);
        var columns = await Mode.Run(reader.GetColumnSchema, () => reader.GetColumnSchemaAsync());

        Assert.That(reader.CanGetColumnSchema(), Is.True);
        Assert.That(columns.Select(column => column.ColumnName), Is.EqualTo(new[] { "a", "b", "c" }));
        Assert.That(columns.Select(column => column.ColumnOrdinal), Is.EqualTo(new int?[] { 0, 1, 2 }));
        Assert.That(columns.Select(column => column.DataType), Is.EqualTo(Enumerable.Range(0, 3).Select(reader.GetFieldType)));
        Assert.That(columns.Select(column => column.DataTypeName), Is.EqualTo(Enumerable.Range(0, 3).Select(reader.GetDataTypeName)));
        Assert.That(columns[0]["ColumnName"], Is.EqualTo("a"));
        Assert.That(columns[0]["no such fact"], Is.Null);
    }

    [Rule(typeof(DbDataReader), nameof(DbDataReader.GetColumnSchemaAsync))]
    public async Task A_closed_reader_describes_no_columns()
    {
        var reader = await Read(Columns);
        await Mode.Close(reader);

        Refused<InvalidOperationException>(() => Mode.Run(reader.GetColumnSchema, () => reader.GetColumnSchemaAsync()));
    }

    [Rule(typeof(DataTable), nameof(DataTable.Load))]
    public async Task A_table_is_loaded_from_a_reader()
    {
        await using var reader = await Read(Columns + " UNION ALL SELECT 2, 'bb', 3.5; SELECT 7 AS d");
        var (first, second) = (new DataTable(), new DataTable());
        first.Load(reader);
        second.Load(reader);

        Assert.That((first.Rows.Count, first.Columns.Count, first.Rows[1]["b"]), Is.EqualTo((2, 3, (object)"bb")));
        Assert.That(Convert.ToInt32(second.Rows[0]["d"]), Is.EqualTo(7));
        Assert.That(reader.IsClosed, Is.True);
    }
}
