using System.Data;
using System.Data.Common;
using Loxo.Schema;
using Loxo.Session;
using Loxo.Types;

namespace Loxo;

/// <summary>
/// A column of a result. Keys, nullability, and names of tables and columns are known if the command was executed with
/// <see cref="CommandBehavior.KeyInfo"/>; otherwise they are null.
/// </summary>
public class PgDbColumn : DbColumn
{
    /// <summary>A column of which nothing is known.</summary>
    public PgDbColumn() => PostgresType = new UnknownBackendType(0);

    internal PgDbColumn(ResultColumn column, int ordinal, Type dataType, PostgresType postgresType)
    {
        PostgresType = postgresType;
        var description = column.Description;
        var facets = column.Type is { } type ? TypeFacets.Of(type, description.TypeModifier) : default;
        ColumnName = column.Name;
        ColumnOrdinal = ordinal;
        ColumnSize = facets.Length ?? (description.TypeSize > 0 ? description.TypeSize : null);
        NumericPrecision = column.Type?.Name == "numeric" ? facets.Precision : null;
        NumericScale = facets.Scale
            ?? (column.Type?.Name is "time" or "timetz" or "timestamp" or "timestamptz" or "interval" ? facets.Precision : null);
        DataType = dataType;
        DataTypeName = column.Type?.DisplayName ?? "unknown";
        IsExpression = description.TableOid == 0;
        // DbCommandBuilder leaves long columns out of its comparisons; json and xml have no operator for one.
        IsLong = column.Type?.Name is "bytea" or "json" or "xml";
        IsHidden = false;
        BaseColumnName = null;
        PgDbType = column.Type is { } known ? DbTypes.Of(known) : null;
        TypeOID = description.TypeOid;
        TableOID = description.TableOid;
        ColumnAttributeNumber = description.AttributeNumber == 0 ? null : description.AttributeNumber;
    }

    /// <summary>The PostgreSQL type as a member of the enumeration; null for a type that has none.</summary>
    public PgDbType? PgDbType { get; internal set; }

    /// <summary>The PostgreSQL type, with what it is made of.</summary>
    public PostgresType PostgresType { get; internal set; }

    /// <summary>pg_type.oid of the column's type; of a domain, that of the type it is based on.</summary>
    public uint TypeOID { get; internal set; }

    /// <summary>pg_class.oid of the table that the column comes from; 0 for an expression.</summary>
    public uint TableOID { get; internal set; }

    /// <summary>pg_attribute.attnum within that table, from 1, negative for system columns; null for an expression.</summary>
    public short? ColumnAttributeNumber { get; internal set; }

    /// <summary>
    /// The SQL expression of the column's default, as the server writes it; null when it has none, is generated, or comes from no table,
    /// and without <see cref="CommandBehavior.KeyInfo"/>.
    /// </summary>
    public string? DefaultValue { get; internal set; }

    /// <inheritdoc/>
    public override object? this[string property] => property switch
    {
        nameof(PgDbType) => PgDbType,
        nameof(PostgresType) => PostgresType,
        nameof(TypeOID) => TypeOID,
        nameof(TableOID) => TableOID,
        nameof(ColumnAttributeNumber) => ColumnAttributeNumber,
        nameof(DefaultValue) => DefaultValue,
        _ => base[property],
    };

    internal void Complete(ColumnFacts? facts, bool hasKey, bool isJoin, string? server, string database)
    {
        BaseServerName = server;
        BaseCatalogName = database;
        if (TableOID == 0)
        {
            IsReadOnly = true;
            IsKey = IsUnique = IsAutoIncrement = IsIdentity = false;
        }
        if (facts is null)
            return;
        (BaseSchemaName, BaseTableName, BaseColumnName) = (facts.SchemaName, facts.TableName, facts.ColumnName);
        AllowDBNull = !facts.IsNotNull;
        IsAliased = ColumnName != facts.ColumnName;
        IsKey = hasKey && facts.KeyColumns.Contains(facts.Number);
        IsUnique = facts.IsUnique && !isJoin;
        IsAutoIncrement = facts.IsAutoIncrement;
        IsIdentity = facts.IsIdentity;
        IsReadOnly = facts.IsReadOnly;
        DefaultValue = facts.DefaultValue;
    }

    /// <summary>Name and type, for people.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{ColumnOrdinal}: {ColumnName} {DataTypeName}");
}
