namespace Loxo.Types;

internal static class TextSearchTypes
{
    private static readonly TextFormat Vector = new ParsableTextFormat<PgTsVector>("tsvector", new TsVectorCodec());

    public static TypeEntry[] All() =>
    [
        TypeEntry.BuiltIn(3614, 3643, "tsvector", "tsvector", PgDbType.TsVector,
            static () => [new TsVectorCodec(), new FormattedTextCodec("tsvector", Vector)], Vector),
        TypeEntry.BuiltIn(3615, 3645, "tsquery", "tsquery", PgDbType.TsQuery,
            static () => [new TsQueryCodec(), new FormattedTextCodec("tsquery", new TsQueryTextFormat(isToSend: true))],
            new TsQueryTextFormat(isToSend: false)),
    ];
}
