namespace Loxo.Types;

internal static class TextSearchTypes
{
    public static TypeEntry[] All() =>
    [
        TypeEntry.Parsable<PgTsVector>(3614, 3643, "tsvector", PgDbType.TsVector, new TsVectorCodec()),
        TypeEntry.BuiltIn(3615, 3645, "tsquery", "tsquery", PgDbType.TsQuery,
            static () => [new TsQueryCodec(), new FormattedTextCodec("tsquery", new TsQueryTextFormat(isToSend: true))],
            new TsQueryTextFormat(isToSend: false)),
    ];
}
