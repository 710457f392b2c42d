using Loxo.Types.Codecs;
using Loxo.Types.TextFormat;

namespace Loxo.Types.BuiltIn;

/// <summary>The types of the extensions that come with PostgreSQL. Their OIDs differ from database to database.</summary>
internal static class ExtensionTypes
{
    private static readonly TextForm Hstore = new HstoreForm();
    private static readonly TextForm Cube = new ParsedForm<PgCube>("cube", new CubeCodec());

    /// <summary>By pg_type.typname: the codecs, the default one first.</summary>
    public static IReadOnlyDictionary<string, Func<IEnumerable<Codec>>> Codecs { get; } = new Dictionary<string, Func<IEnumerable<Codec>>>(StringComparer.Ordinal)
    {
        ["citext"] = static () => TextFamily.All,
        ["hstore"] = static () => [new HstoreCodec(), new HstoreInterfaceCodec(), new HstoreImmutableCodec(), new TextOfValueCodec("hstore", Hstore)],
        ["ltree"] = static () => VersionedText.All("ltree"),
        ["lquery"] = static () => VersionedText.All("lquery"),
        ["ltxtquery"] = static () => VersionedText.All("ltxtquery"),
        ["cube"] = static () => [new CubeCodec(), new TextOfValueCodec("cube", Cube)],
    };

    /// <summary>By pg_type.typname: how text format becomes binary format and back.</summary>
    public static IReadOnlyDictionary<string, TextForm> TextForms { get; } = new Dictionary<string, TextForm>(StringComparer.Ordinal)
    {
        ["citext"] = new IdentityForm(),
        ["hstore"] = Hstore,
        ["ltree"] = new VersionedForm("ltree"),
        ["lquery"] = new VersionedForm("lquery"),
        ["ltxtquery"] = new VersionedForm("ltxtquery"),
        ["cube"] = Cube,
    };
}
