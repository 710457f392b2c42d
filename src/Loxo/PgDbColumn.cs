using System.Data.Common;
using Loxo.Session;
using Loxo.Types;

namespace Loxo;

/// <summary>A column of a result. What the result's description lacks (keys, nullability, names of tables) is null.</summary>
public sealed class PgDbColumn : DbColumn
{
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
        IsLong = column.Type?.Name is "bytea" or "text" or "json" or "jsonb" or "xml" && facets.Length is null;
        IsHidden = false;
        BaseColumnName = null;
        PgDbType = column.Type?.PgDbType;
        TypeOID = description.TypeOid;
        TableOID = description.TableOid;
        ColumnAttributeNumber = description.AttributeNumber == 0 ? null : description.AttributeNumber;
    }

    /// <summary>The PostgreSQL type as a member of the enumeration; null for a type that has none.</summary>
    public PgDbType? PgDbType { get; }

    /// <summary>The PostgreSQL type, with what it is made of.</summary>
    public PostgresType PostgresType { get; }

    /// <summary>pg_type.oid of the column's type; of a domain, that of the type it is based on.</summary>
    public uint TypeOID { get; }

    /// <summary>pg_class.oid of the table that the column comes from; 0 for an expression.</summary>
    public uint TableOID { get; }

    /// <summary>pg_attribute.attnum within that table, from 1, negative for system columns; null for an expression.</summary>
    public short? ColumnAttributeNumber { get; }

    /// <inheritdoc/>
    public override object? this[string property] => property switch
    {
        nameof(PgDbType) => PgDbType,
        nameof(PostgresType) => PostgresType,
        nameof(TypeOID) => TypeOID,
        nameof(TableOID) => TableOID,
        nameof(ColumnAttributeNumber) => ColumnAttributeNumber,
        _ => base[property],
    };

    /// <summary>Name and type, for people.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{ColumnOrdinal}: {ColumnName} {DataTypeName}");
}
