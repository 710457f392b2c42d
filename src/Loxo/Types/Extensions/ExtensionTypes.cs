namespace Loxo.Types;

/// <summary>The types of the extensions that come with PostgreSQL. Their OIDs differ from database to database.</summary>
internal static class ExtensionTypes
{
    /// <summary>By pg_type.typname: the codecs, the default one first, and how text format becomes binary format and back.</summary>
    public static IReadOnlyDictionary<string, (Func<IEnumerable<Codec>> Codecs, TextFormat Format)> All { get; } =
        new Dictionary<string, (Func<IEnumerable<Codec>>, TextFormat)>(StringComparer.Ordinal)
        {
            ["citext"] = (static () => TextFamily.All, new PlainTextFormat()),
            ["ltree"] = Versioned("ltree"),
            ["lquery"] = Versioned("lquery"),
            ["ltxtquery"] = Versioned("ltxtquery"),
            ["hstore"] = WithText("hstore", new HstoreTextFormat(),
                static () => [new HstoreCodec(), new HstoreInterfaceCodec(), new HstoreImmutableCodec()]),
            ["cube"] = WithText("cube", new ParsableTextFormat<PgCube>("cube", new CubeCodec()), static () => [new CubeCodec()]),
        };

    private static (Func<IEnumerable<Codec>>, TextFormat) Versioned(string type) =>
        (() => VersionedText.All(type), new VersionedTextFormat(type));

    private static (Func<IEnumerable<Codec>>, TextFormat) WithText(string type, TextFormat format, Func<IEnumerable<Codec>> codecs) =>
        (() => [.. codecs(), new FormattedTextCodec(type, format)], format);
}
