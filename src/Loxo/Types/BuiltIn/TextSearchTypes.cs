using Loxo.Types.TextFormat;

namespace Loxo.Types.BuiltIn;

/// <summary>The built-in types for text search.</summary>
internal static class TextSearchTypes
{
    public static void Add(List<TypeEntry> types) => types.AddRange(
    [
        BuiltInTypes.TextOnly(3614, 3643, "tsvector", PgDbType.TsVector, new TsVectorRendering()),
        BuiltInTypes.TextOnly(3615, 3645, "tsquery", PgDbType.TsQuery, new TsQueryRendering()),
    ]);
}
