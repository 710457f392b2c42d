using System.Text.Json;
using System.Text.Json.Nodes;

namespace Loxo.Types;

/// <summary>json and jsonb. A value that is text or bytes is JSON text; it is never written as a JSON string.</summary>
internal static class JsonTypes
{
    public static TypeEntry[] All(JsonSerializerOptions? options)
    {
        var json = new JsonScalarFormat("json", isVersioned: false, options);
        var jsonb = new JsonScalarFormat("jsonb", isVersioned: true, options);
        return
        [
            TypeEntry.BuiltIn(114, 199, "json", "json", PgDbType.Json,
                () => [.. TextFamily.All, .. Documents(json)], new PlainTextFormat(), new JsonCodecFactory(json)),
            TypeEntry.BuiltIn(3802, 3807, "jsonb", "jsonb", PgDbType.Jsonb,
                () => [.. VersionedText.All("jsonb"), .. Documents(jsonb)], new VersionedTextFormat("jsonb"), new JsonCodecFactory(jsonb)),
        ];
    }

    private static Codec[] Documents(JsonFormat target) =>
    [
        new JsonDocumentCodec(target), new JsonElementCodec(target), new JsonNodeCodec<JsonNode>(target),
        new JsonNodeCodec<JsonObject>(target), new JsonNodeCodec<JsonArray>(target), new JsonNodeCodec<JsonValue>(target),
    ];
}
