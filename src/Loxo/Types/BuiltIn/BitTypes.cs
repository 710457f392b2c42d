using Loxo.Types.TextFormat;

namespace Loxo.Types.BuiltIn;

/// <summary>The built-in types for bit strings.</summary>
internal static class BitTypes
{
    public static void Add(List<TypeEntry> types) => types.AddRange(
    [
        BuiltInTypes.TextOnly(1560, 1561, "bit", PgDbType.Bit, new BitRendering("bit")),
        BuiltInTypes.TextOnly(1562, 1563, "varbit", PgDbType.Varbit, new BitRendering("bit varying"), "bit varying"),
    ]);
}
