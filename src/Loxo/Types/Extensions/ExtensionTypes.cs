namespace Loxo.Types;

/// <summary>The types of the extensions that come with PostgreSQL. Their OIDs differ from database to database.</summary>
internal static class ExtensionTypes
{
    private static readonly TextFormat Hstore = new HstoreTextFormat();
    private static readonly TextFormat Cube = new ParsableTextFormat<PgCube>("cube", new CubeCodec());

    /// <summary>By pg_type.typname: the codecs, the default one first.</summary>
    public static IReadOnlyDictionary<string, Func<IEnumerable<Codec>>> Codecs { get; } =
        new Dictionary<string, Func<IEnumerable<Codec>>>(StringComparer.Ordinal)
    {
        ["citext"] = static () => TextFamily.All,
        ["hstore"] = static () =>
                [new HstoreCodec(), new HstoreInterfaceCodec(), new HstoreImmutableCodec(), new FormattedTextCodec("hstore", Hstore)],
        ["ltree"] = static () => VersionedText.All("ltree"),
        ["lquery"] = static () => VersionedText.All("lquery"),
        ["ltxtquery"] = static () => VersionedText.All("ltxtquery"),
        ["cube"] = static () => [new CubeCodec(), new FormattedTextCodec("cube", Cube)],
    };

    /// <summary>By pg_type.typname: how text format becomes binary format and back.</summary>
    public static IReadOnlyDictionary<string, TextFormat> TextFormats { get; } = new Dictionary<string, TextFormat>(StringComparer.Ordinal)
    {
        ["citext"] = new PlainTextFormat(),
        ["hstore"] = Hstore,
        ["ltree"] = new VersionedTextFormat("ltree"),
        ["lquery"] = new VersionedTextFormat("lquery"),
        ["ltxtquery"] = new VersionedTextFormat("ltxtquery"),
        ["cube"] = Cube,
    };
}
