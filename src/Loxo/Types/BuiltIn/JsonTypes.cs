using Loxo.Types.Codecs;
using Loxo.Types.TextFormat;

namespace Loxo.Types.BuiltIn;

/// <summary>json and jsonb.</summary>
internal static class JsonTypes
{
    public static void Add(List<TypeEntry> types, TypeSettings settings) => types.AddRange(
    [
        BuiltInTypes.Text(114, 199, "json", "json", PgDbType.Json),
        BuiltInTypes.Type(3802, 3807, "jsonb", "jsonb", PgDbType.Jsonb, static () => VersionedText.All("jsonb"), new VersionedForm("jsonb")),
    ]);
}
