namespace Loxo.Types;

/// <summary>The built-in types for text search.</summary>
internal static class TextSearchTypes
{
    private static readonly TextFormat Vector = new ParsableTextFormat<PgTsVector>("tsvector", new TsVectorCodec());

    public static void Add(List<TypeEntry> types) => types.AddRange(
    [
        BuiltInTypes.Type(3614, 3643, "tsvector", "tsvector", PgDbType.TsVector,
            static () => [new TsVectorCodec(), new FormattedTextCodec("tsvector", Vector)], Vector),
        BuiltInTypes.Type(3615, 3645, "tsquery", "tsquery", PgDbType.TsQuery,
            static () => [new TsQueryCodec(), new FormattedTextCodec("tsquery", new TsQueryTextFormat(isToSend: true))], new TsQueryTextFormat(isToSend: false)),
    ]);
}
