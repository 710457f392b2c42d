namespace Loxo.Types;

/// <summary>The built-in types without a family: boolean, bytea, uuid and void.</summary>
internal static class BasicTypes
{
    public static TypeEntry[] All() =>
    [
        TypeEntry.BuiltIn(16, 1000, "bool", "boolean", PgDbType.Boolean, static () => [new BoolCodec()], new BoolTextFormat()),
        TypeEntry.BuiltIn(17, 1001, "bytea", "bytea", PgDbType.Bytea, static () => TextFamily.Bytes, new ByteaTextFormat()),
        TypeEntry.BuiltIn(2950, 2951, "uuid", "uuid", PgDbType.Uuid, static () => [new UuidCodec()], new UuidTextFormat()),
        TypeEntry.BuiltIn(2278, 0, "void", "void", null, static () => [new VoidCodec()]),
    ];
}
