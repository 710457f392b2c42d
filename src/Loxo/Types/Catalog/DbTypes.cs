using System.Data;

namespace Loxo.Types;

/// <summary>ADO.NET's enumeration of types beside PostgreSQL's.</summary>
internal static class DbTypes
{
    /// <summary>Null for a member without a counterpart, and for Object, which leaves it to the value.</summary>
    public static PgDbType? ToPgDbType(DbType type) => type switch
    {
        DbType.AnsiString or DbType.String or DbType.AnsiStringFixedLength or DbType.StringFixedLength => PgDbType.Text,
        DbType.Binary => PgDbType.Bytea,
        DbType.Boolean => PgDbType.Boolean,
        DbType.Byte or DbType.Int16 => PgDbType.Smallint,
        DbType.Int32 => PgDbType.Integer,
        DbType.Int64 => PgDbType.Bigint,
        DbType.Single => PgDbType.Real,
        DbType.Double => PgDbType.Double,
        DbType.Decimal or DbType.VarNumeric => PgDbType.Numeric,
        DbType.Currency => PgDbType.Money,
        DbType.Date => PgDbType.Date,
        DbType.Time => PgDbType.Time,
        DbType.DateTime => LocalTime.IsDefault ? PgDbType.Timestamp : PgDbType.TimestampTz,
        DbType.DateTimeOffset => PgDbType.TimestampTz,
        DbType.DateTime2 => PgDbType.Timestamp,
        DbType.Guid => PgDbType.Uuid,
        DbType.Xml => PgDbType.Xml,
        _ => null,
    };

    private static readonly (PgDbType Type, string Name)[] OfExtensions =
    [
        (PgDbType.Hstore, "hstore"), (PgDbType.Citext, "citext"), (PgDbType.LTree, "ltree"), (PgDbType.LQuery, "lquery"),
        (PgDbType.LTxtQuery, "ltxtquery"), (PgDbType.Cube, "cube"), (PgDbType.Geometry, "geometry"), (PgDbType.Geography, "geography"),
    ];

    /// <summary>The member of a type, or array of a type, that is built in or comes with an extension; null for none.</summary>
    public static PgDbType? Of(TypeEntry type) => type.PgDbType
        ?? (type.Element is { } element ? Of(element) | PgDbType.Array : type.Description is { Kind: 'b' } ? OfExtension(type.Name) : null);

    /// <summary>The name of a type, or array of a type, that only an extension brings; null for none.</summary>
    public static string? ExtensionName(PgDbType type)
    {
        var found = Array.Find(OfExtensions, other => other.Type == (type & ~PgDbType.Array)).Name;
        return found is not null && (type & PgDbType.Array) != 0 ? found + "[]" : found;
    }

    /// <summary>The type that an extension brings under that name, or the array of it; null for none.</summary>
    public static PgDbType? OfExtension(string name)
    {
        var plain = name.Trim().ToLowerInvariant();
        var isArray = plain.EndsWith("[]", StringComparison.Ordinal);
        var element = isArray ? plain[..^2].TrimEnd() : plain;
        return Array.Find(OfExtensions, other => other.Name == element) is { Name: not null } found
            ? found.Type | (isArray ? PgDbType.Array : 0)
            : null;
    }

    /// <summary><see cref="DbType.Object"/> for a type that ADO.NET has no word for.</summary>
    public static DbType ToDbType(PgDbType type) => type switch
    {
        PgDbType.Boolean => DbType.Boolean,
        PgDbType.Smallint => DbType.Int16,
        PgDbType.Integer => DbType.Int32,
        PgDbType.Bigint => DbType.Int64,
        PgDbType.Real => DbType.Single,
        PgDbType.Double => DbType.Double,
        PgDbType.Numeric => DbType.Decimal,
        PgDbType.Money => DbType.Currency,
        PgDbType.Text or PgDbType.Varchar or PgDbType.Char or PgDbType.Name or PgDbType.Citext or PgDbType.Refcursor => DbType.String,
        PgDbType.Xml => DbType.Xml,
        PgDbType.Bytea => DbType.Binary,
        PgDbType.Uuid => DbType.Guid,
        PgDbType.Date => DbType.Date,
        PgDbType.Time => DbType.Time,
        PgDbType.Timestamp => LocalTime.IsDefault ? DbType.DateTime : DbType.DateTime2,
        PgDbType.TimestampTz => LocalTime.IsDefault ? DbType.DateTimeOffset : DbType.DateTime,
        _ => DbType.Object,
    };
}
