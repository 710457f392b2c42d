using System.Text.Json;
using System.Text.Json.Nodes;

namespace Loxo.Types;

/// <summary>
/// json and jsonb: text, bytes, the documents of System.Text.Json, and every .NET type that it serializes. A value that is text or bytes is
/// JSON text; it is never written as a JSON string.
/// </summary>
internal static class JsonTypes
{
    public static TypeEntry[] All(JsonSerializerOptions? options)
    {
        var json = new JsonScalarFormat("json", isVersioned: false, options);
        var jsonb = new JsonScalarFormat("jsonb", isVersioned: true, options);
        return
        [
            new TypeEntry(() => [.. TextFamily.All, .. Documents(json)], new PlainTextFormat())
            {
                Oid = 114, ArrayOid = 199, Name = "json", DisplayName = "json", PgDbType = PgDbType.Json,
                Factory = new JsonScalarFactory(json),
            },
            new TypeEntry(() => [.. VersionedText.All("jsonb"), .. Documents(jsonb)], new VersionedTextFormat("jsonb"))
            {
                Oid = 3802, ArrayOid = 3807, Name = "jsonb", DisplayName = "jsonb", PgDbType = PgDbType.Jsonb,
                Factory = new JsonScalarFactory(jsonb),
            },
        ];
    }

    private static Codec[] Documents(JsonFormat target) =>
    [
        new JsonDocumentCodec(target), new JsonElementCodec(target), new JsonNodeCodec<JsonNode>(target),
        new JsonNodeCodec<JsonObject>(target), new JsonNodeCodec<JsonArray>(target), new JsonNodeCodec<JsonValue>(target),
    ];
}
