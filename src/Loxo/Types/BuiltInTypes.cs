using Loxo.Types.Codecs;

namespace Loxo.Types;

/// <summary>The types of every PostgreSQL server (pg_type.dat), with the codecs of each in order of preference.</summary>
internal static class BuiltInTypes
{
    public static readonly TypeEntry[] All =
    [
        Type(16, 1000, "bool", "boolean", PgDbType.Boolean, static () => [new BoolCodec()]),
        Type(23, 1007, "int4", "integer", PgDbType.Integer, static () => [new Int4Codec<int>(), new Int4Codec<short>(), new Int4Codec<long>()]),
        Type(20, 1016, "int8", "bigint", PgDbType.Bigint, static () => [new Int8Codec<long>(), new Int8Codec<int>()]),
        Type(25, 1009, "text", "text", PgDbType.Text, static () => TextFamily.All),
    ];

    private static TypeEntry Type(uint oid, uint array, string name, string display, PgDbType? dbType, Func<IEnumerable<Codec>> codecs) =>
        new TypeEntry(codecs) { Oid = oid, Name = name, DisplayName = display, DbType = dbType }.WithArray(array);
}
