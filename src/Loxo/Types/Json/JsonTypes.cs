using System.Text.Json.Nodes;

namespace Loxo.Types;

/// <summary>
/// json and jsonb: text, bytes, the documents of System.Text.Json, and whatever else it reads and writes. A value that is text or bytes is
/// taken for JSON text and never written as a JSON string.
/// </summary>
internal static class JsonTypes
{
    public static void Add(List<TypeEntry> types, TypeSettings settings)
    {
        var json = new JsonScalarFormat("json", isVersioned: false, settings.Json);
        var jsonb = new JsonScalarFormat("jsonb", isVersioned: true, settings.Json);
        types.Add(new TypeEntry(() => [.. TextFamily.All, .. Documents(json)], new PlainTextFormat())
        {
            Oid = 114, Name = "json", DisplayName = "json", PgDbType = PgDbType.Json, Factory = new JsonScalarFactory(json),
        }.WithArray(199));
        types.Add(new TypeEntry(() => [.. VersionedText.All("jsonb"), .. Documents(jsonb)], new VersionedTextFormat("jsonb"))
        {
            Oid = 3802, Name = "jsonb", DisplayName = "jsonb", PgDbType = PgDbType.Jsonb, Factory = new JsonScalarFactory(jsonb),
        }.WithArray(3807));
    }

    private static Codec[] Documents(JsonFormat target) =>
    [
        new JsonDocumentCodec(target), new JsonElementCodec(target), new JsonNodeCodec<JsonNode>(target), new JsonNodeCodec<JsonObject>(target),
        new JsonNodeCodec<JsonArray>(target), new JsonNodeCodec<JsonValue>(target),
    ];
}
