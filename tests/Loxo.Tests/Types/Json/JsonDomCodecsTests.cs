using System.Text.Json;
using System.Text.Json.Nodes;

namespace Loxo.Tests.Types;

[TestFixture("json"), TestFixture("jsonb")]
public class JsonDomCodecsTests(string type)
{
    private const string Json = """{"a":[1,null,"x"],"b":1.50}""";

    [Test]
    public void A_document_owns_what_it_was_read_from()
    {
        var bytes = Convert.FromHexString(Hex(Json));
        var document = CodecCheck.Codec<JsonDocument>(type).Read(bytes);
        var element = CodecCheck.Codec<JsonElement>(type).Read(bytes);
        bytes.AsSpan().Clear();
        Assert.That((document.RootElement.GetRawText(), element.GetRawText()), Is.EqualTo((Json, Json)));
        document.Dispose();
    }

    [Test]
    public void Documents_elements_and_nodes_are_written()
    {
        using var document = JsonDocument.Parse(Json);
        Assert.That(CodecCheck.Write(type, document), Is.EqualTo(Hex(Json)));
        Assert.That(CodecCheck.Write(type, document.RootElement), Is.EqualTo(Hex(Json)));
        Assert.That(CodecCheck.Write(type, JsonNode.Parse(Json)), Is.EqualTo(Hex(Json)));
        Assert.That(CodecCheck.Write(type, new JsonObject { ["a"] = 1 }), Is.EqualTo(Hex("""{"a":1}""")));
        Assert.That(CodecCheck.Write(type, new JsonArray(1, null)), Is.EqualTo(Hex("[1,null]")));
        Assert.That(CodecCheck.Write(type, JsonValue.Create("x")), Is.EqualTo(Hex("\"x\"")));
    }

    [Test]
    public void Each_kind_of_node_is_read()
    {
        Assert.That(CodecCheck.Read<JsonNode>(type, Hex(Json)).ToJsonString(), Is.EqualTo(Json));
        Assert.That((int)CodecCheck.Read<JsonObject>(type, Hex(Json))["a"]![0]!, Is.EqualTo(1));
        Assert.That(CodecCheck.Read<JsonArray>(type, Hex("[1,2]")), Has.Count.EqualTo(2));
        Assert.That((string?)CodecCheck.Read<JsonValue>(type, Hex("\"x\"")), Is.EqualTo("x"));
        Assert.That(CodecCheck.Read<JsonNode>(type, Hex("null")), Is.Null);
    }

    [Test]
    public void Another_kind_of_node_than_asked_for_is_refused()
    {
        Assert.That(() => CodecCheck.Read<JsonArray>(type, Hex("{}")), Throws.TypeOf<InvalidCastException>().With.Message.Contains("an object").And.Message.Contains("JsonNode"));
        Assert.That(() => CodecCheck.Read<JsonObject>(type, Hex("[]")), Throws.TypeOf<InvalidCastException>().With.Message.Contains("an array"));
        Assert.That(() => CodecCheck.Read<JsonObject>(type, Hex("1")), Throws.TypeOf<InvalidCastException>().With.Message.Contains("neither"));
    }

    [Test]
    public void An_element_of_nothing_is_refused() =>
        Assert.That(() => CodecCheck.Write(type, default(JsonElement)), Throws.TypeOf<InvalidCastException>().With.Message.Contains("DBNull.Value"));

    [Test]
    public void What_is_no_JSON_is_refused()
    {
        foreach (var text in new[] { "", "{", "[1,]", "{} {}", "\"\u0001\"" })
        {
            Assert.That(() => CodecCheck.Read<JsonDocument>(type, Hex(text)), Throws.TypeOf<InvalidCastException>(), text);
            Assert.That(() => CodecCheck.Read<JsonElement>(type, Hex(text)), Throws.TypeOf<InvalidCastException>(), text);
            Assert.That(() => CodecCheck.Read<JsonNode>(type, Hex(text)), Throws.TypeOf<InvalidCastException>(), text);
        }
    }

    [Test]
    public void Deep_nesting_is_refused_until_it_is_allowed()
    {
        var deep = new string('[', 20_000) + new string(']', 20_000);
        Assert.That(() => CodecCheck.Read<JsonDocument>(type, Hex(deep)), Throws.TypeOf<InvalidCastException>().With.Message.Contains("64"));
        Assert.That(() => CodecCheck.Read<JsonNode>(type, Hex(deep)), Throws.TypeOf<InvalidCastException>());
        Assert.That(() => CodecCheck.Read<int[]>(type, Hex(deep)), Throws.TypeOf<InvalidCastException>());
        var deeper = JsonSamples.Type(type, new JsonSerializerOptions { MaxDepth = 40_000 }).CodecFor<JsonElement>()!;
        Assert.That(deeper.Read(Convert.FromHexString(Hex(deep))).GetArrayLength(), Is.EqualTo(1));
    }

    [Test]
    public void Text_format_is_read_as_the_same_documents()
    {
        Assert.That(CodecCheck.ReadText<JsonElement>(type, Json).GetRawText(), Is.EqualTo(Json));
        Assert.That(CodecCheck.ReadText<JsonElement?>(type, Json)!.Value.GetRawText(), Is.EqualTo(Json));
        Assert.That(CodecCheck.ReadText<JsonNode>(type, Json).ToJsonString(), Is.EqualTo(Json));
    }

    private string Hex(string json) => JsonSamples.Hex(type, json);
}
