using System.Collections.ObjectModel;
using System.Data;
using System.Data.Common;
using System.Globalization;
using Loxo.Types;

namespace Loxo;

// What is known of the columns, in the two forms that ADO.NET has for it.
public sealed partial class PgDataReader : IDbColumnSchemaGenerator
{
    private static readonly (string Name, Type Type)[] SchemaTableColumns =
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

    /// <summary>The column's PostgreSQL type, with what it is made of.</summary>
    public PostgresType GetPostgresType(int ordinal)
    {
        var column = Column(ordinal);
        return PostgresTypeModel.Of(column.Type, column.Description.TypeOid, Session.Types.Known);
    }

    /// <summary>What is known of the columns of the current result; empty when there is none.</summary>
    /// <exception cref="InvalidOperationException">The reader is closed.</exception>
    public ReadOnlyCollection<PgDbColumn> GetColumnSchema()
    {
        var columns = new PgDbColumn[FieldCount];
        for (var i = 0; i < columns.Length; i++)
            columns[i] = new PgDbColumn(_shape![i], i, GetFieldType(i), GetPostgresType(i));
        return Array.AsReadOnly(columns);
    }

    /// <inheritdoc cref="GetColumnSchema"/>
    public new Task<ReadOnlyCollection<PgDbColumn>> GetColumnSchemaAsync(CancellationToken cancellationToken = default)
    {
        try
        {
            return cancellationToken.IsCancellationRequested
                ? Task.FromCanceled<ReadOnlyCollection<PgDbColumn>>(cancellationToken)
                : Task.FromResult(GetColumnSchema());
        }
        catch (Exception e)
        {
            return Task.FromException<ReadOnlyCollection<PgDbColumn>>(e);
        }
    }

    /// <summary>
    /// What is known of the columns of the current result, a row for each; null when there is none. What the description of a result does not
    /// carry (keys, nullability, names of tables) is <see cref="DBNull"/>.
    /// </summary>
    /// <exception cref="InvalidOperationException">The reader is closed.</exception>
    public override DataTable? GetSchemaTable()
    {
        if (FieldCount == 0)
            return null;
        var table = new DataTable("SchemaTable") { Locale = CultureInfo.InvariantCulture };
        foreach (var (name, type) in SchemaTableColumns)
            table.Columns.Add(name, type);
        foreach (var column in GetColumnSchema())
            table.Rows.Add(SchemaRow(table, column));
        return table;
    }

    /// <inheritdoc/>
    ReadOnlyCollection<DbColumn> IDbColumnSchemaGenerator.GetColumnSchema() => new([.. GetColumnSchema()]);

    private static DataRow SchemaRow(DataTable table, PgDbColumn column)
    {
        var row = table.NewRow();
        foreach (var (name, _) in SchemaTableColumns)
        {
            row[name] = name switch
            {
                "ProviderType" => (int?)column.PgDbType,
                "ProviderSpecificDataType" => column.DataType,
                // A size of -1 means that there is no limit.
                "ColumnSize" => column.ColumnSize ?? -1,
                _ => column[name],
            } ?? DBNull.Value;
        }
        return row;
    }
}
