using System.Data;
using System.Data.Common;

namespace Loxo.Reading;

/// <summary>The columns of a result in the form that ADO.NET had first: a table with a row for each.</summary>
internal static class SchemaTable
{
    private static readonly (string Name, Type Type)[] Columns =
    [
        (SchemaTableColumn.ColumnName, typeof(string)),
        (SchemaTableColumn.ColumnOrdinal, typeof(int)),
        (SchemaTableColumn.ColumnSize, typeof(int)),
        (SchemaTableColumn.NumericPrecision, typeof(int)),
        (SchemaTableColumn.NumericScale, typeof(int)),
        (SchemaTableColumn.IsUnique, typeof(bool)),
        (SchemaTableColumn.IsKey, typeof(bool)),
        (SchemaTableOptionalColumn.BaseServerName, typeof(string)),
        (SchemaTableOptionalColumn.BaseCatalogName, typeof(string)),
        (SchemaTableColumn.BaseColumnName, typeof(string)),
        (SchemaTableColumn.BaseSchemaName, typeof(string)),
        (SchemaTableColumn.BaseTableName, typeof(string)),
        (SchemaTableColumn.DataType, typeof(Type)),
        (SchemaTableColumn.AllowDBNull, typeof(bool)),
        (SchemaTableColumn.ProviderType, typeof(int)),
        (SchemaTableColumn.IsAliased, typeof(bool)),
        (SchemaTableColumn.IsExpression, typeof(bool)),
        ("IsIdentity", typeof(bool)),
        (SchemaTableOptionalColumn.IsAutoIncrement, typeof(bool)),
        (SchemaTableOptionalColumn.IsRowVersion, typeof(bool)),
        (SchemaTableOptionalColumn.IsHidden, typeof(bool)),
        (SchemaTableColumn.IsLong, typeof(bool)),
        (SchemaTableOptionalColumn.IsReadOnly, typeof(bool)),
        (SchemaTableOptionalColumn.ProviderSpecificDataType, typeof(Type)),
        ("DataTypeName", typeof(string)),
    ];

    public static DataTable Of(IReadOnlyCollection<PgDbColumn> columns)
    {
        var table = new DataTable("SchemaTable") { Locale = CultureInfo.InvariantCulture };
        foreach (var (name, type) in Columns)
            table.Columns.Add(name, type);
        foreach (var column in columns)
            table.Rows.Add(RowOf(table, column));
        return table;
    }

    private static DataRow RowOf(DataTable table, PgDbColumn column)
    {
        var row = table.NewRow();
        foreach (var (name, _) in Columns)
        {
            row[name] = name switch
            {
                "ProviderType" => (int?)column.PgDbType,
                "ProviderSpecificDataType" => column.DataType,
                // DbCommandBuilder would make it a part of the table's name.
                "BaseServerName" => null,
                // A size of -1 means that there is no limit.
                "ColumnSize" => column.ColumnSize ?? -1,
                // xmin changes with each update of a row.
                "IsRowVersion" => column is { TableOID: not 0, ColumnAttributeNumber: -2 },
                _ => column[name],
            } ?? DBNull.Value;
        }
        return row;
    }
}
