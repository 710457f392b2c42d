using Loxo.Types.Codecs;
using Loxo.Types.TextFormat;

namespace Loxo.Types.BuiltIn;

/// <summary>The built-in types for text search.</summary>
internal static class TextSearchTypes
{
    private static readonly TextForm Vector = new ParsedForm<PgTsVector>("tsvector", new TsVectorCodec());

    public static void Add(List<TypeEntry> types) => types.AddRange(
    [
        BuiltInTypes.Type(3614, 3643, "tsvector", "tsvector", PgDbType.TsVector,
            static () => [new TsVectorCodec(), new TextOfValueCodec("tsvector", Vector)], Vector),
        BuiltInTypes.Type(3615, 3645, "tsquery", "tsquery", PgDbType.TsQuery,
            static () => [new TsQueryCodec(), new TextOfValueCodec("tsquery", new TsQueryForm(isToSend: true))], new TsQueryForm(isToSend: false)),
    ]);
}
