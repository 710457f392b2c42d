using System.Text.Json;
using System.Text.Json.Serialization;
using Loxo.Protocol;

namespace Loxo.Tests.Types;

[TestFixture("json"), TestFixture("jsonb")]
public class JsonCodecsTests(string type)
{
    private const string Json = """{"X":1,"Y":-2,"Name":"\u00FC"}""";

    [Test]
    public void An_object_is_read_and_written() => CodecCheck.BothWays(type, new Point3(1, -2, "ü"), Hex(Json));

    [Test]
    public void A_list_a_dictionary_and_a_number_are_read_and_written()
    {
        CodecCheck.BothWays(type, new List<int> { 1, 2 }, Hex("[1,2]"));
        CodecCheck.BothWays(type, new Dictionary<string, bool> { ["a"] = true }, Hex("""{"a":true}"""));
        CodecCheck.BothWays(type, 42, Hex("42"));
        CodecCheck.BothWays<int?>(type, 42, Hex("42"));
        CodecCheck.BothWays(type, new DateOnly(2024, 2, 29), Hex("\"2024-02-29\""));
    }

    [Test]
    public void A_value_known_only_at_run_time_is_written_as_its_own_type()
    {
        object value = new Point3(1, -2, "ü");
        Assert.That(CodecCheck.Write(writer => CodecCheck.Type(type).CodecForValue(value)!.WriteObject(writer, value)), Is.EqualTo(Hex(Json)));
        Assert.That(CodecCheck.Type(type).CodecForValue(value)!.ReadObject(Convert.FromHexString(Hex(Json))), Is.EqualTo(value));
        Assert.That(CodecCheck.Type(type).CodecForValue(value)!.ValueType, Is.EqualTo(typeof(Point3)));
    }

    [Test]
    public void Text_and_bytes_are_never_serialized_again()
    {
        var text = "\"x\"";
        var utf8 = "\"x\""u8.ToArray();
        object[] values = [text, text.ToCharArray(), text.AsMemory(), utf8, new ReadOnlyMemory<byte>(utf8), new Memory<byte>(utf8), new ArraySegment<byte>(utf8)];
        foreach (var value in values)
            Assert.That(CodecCheck.Write(writer => CodecCheck.Type(type).CodecForValue(value)!.WriteObject(writer, value)), Is.EqualTo(Hex(text)), value.GetType().Name);
        Assert.That(CodecCheck.Write<object>(type, text), Is.EqualTo(Hex(text)));
        Assert.That(CodecCheck.Write(type, '1'), Is.EqualTo(Hex("1")));
    }

    [Test]
    public void The_JSON_text_null_is_null_where_that_can_be()
    {
        Assert.That(CodecCheck.Read<Point3>(type, Hex("null")), Is.Null);
        Assert.That(CodecCheck.Read<int?>(type, Hex("null")), Is.Null);
        Assert.That(() => CodecCheck.Read<int>(type, Hex("null")), Throws.TypeOf<InvalidCastException>());
    }

    [Test]
    public void JSON_of_another_shape_is_refused_with_its_path() =>
        Assert.That(() => CodecCheck.Read<Point3>(type, Hex("""{"X":"one"}""")), 
            Throws.TypeOf<InvalidCastException>().With.Message.Contains("$.X").And.InnerException.InstanceOf<JsonException>());

    [Test]
    public void Text_format_is_read_as_the_same_object()
    {
        Assert.That(CodecCheck.ReadText<Point3>(type, Json), Is.EqualTo(new Point3(1, -2, "ü")));
        Assert.That(CodecCheck.Type(type).DefaultFor(FormatCode.Text)!.ReadObject("{}"u8), Is.EqualTo("{}"));
    }

    [Test]
    public void What_the_user_says_of_JSON_is_what_happens()
    {
        var codec = JsonSamples.Type(type, new JsonSerializerOptions { PropertyNamingPolicy = JsonNamingPolicy.CamelCase, WriteIndented = true, NewLine = "\n" }).CodecFor<Point3>()!;
        Assert.That(CodecCheck.Write(writer => codec.Write(writer, new Point3(1, 2))), Is.EqualTo(Hex("{\n  \"x\": 1,\n  \"y\": 2,\n  \"name\": null\n}")));
    }

    [Test]
    public void A_context_made_by_the_compiler_is_enough()
    {
        var options = new JsonSerializerOptions { TypeInfoResolver = SampleContext.Default };
        var codec = JsonSamples.Type(type, options).CodecFor<Point3>()!;
        Assert.That(codec.Read(Convert.FromHexString(Hex(Json))), Is.EqualTo(new Point3(1, -2, "ü")));
        var missing = JsonSamples.Type(type, options).CodecFor<Circle>()!;
        Assert.That(() => missing.Read(Convert.FromHexString(Hex("{}"))),
            Throws.TypeOf<InvalidCastException>().With.Message.Contains("Circle").And.Message.Contains("[JsonSerializable(typeof("));
    }

    [Test]
    public void What_is_polymorphic_comes_back_as_it_was_wherever_its_discriminator_stands()
    {
        CodecCheck.BothWays<Shape>(type, new Circle(1.5), Hex("""{"kind":"circle","R":1.5}"""));
        if (type == "jsonb")
            Assert.That(CodecCheck.Read<Shape>(type, Hex("""{"R":1.5,"kind":"circle"}""")), Is.EqualTo(new Circle(1.5)));
    }

    [Test]
    public void What_cannot_be_written_says_why_and_the_next_value_is_written()
    {
        var error = Assert.Throws<PgException>(() => CodecCheck.Write(type, new Loop()))!;
        Assert.That((error.Code, error.InnerException), Is.EqualTo((PgErrorCode.ParameterInvalid, error.InnerException as JsonException)));
        Assert.That(error.Message, Does.Contain("cycle").And.Contains("Loop"));
        Assert.That(() => CodecCheck.Write<object>(type, typeof(int)), Throws.TypeOf<PgException>().With.InnerException.TypeOf<NotSupportedException>());
        Assert.That(CodecCheck.Write(type, new Point3(1, -2, "ü")), Is.EqualTo(Hex(Json)));
    }

    [Test]
    public void A_converter_may_write_JSON_to_a_parameter_itself()
    {
        var options = new JsonSerializerOptions { Converters = { new Nested(type) } };
        var codec = JsonSamples.Type(type, options).CodecFor<Version>()!;
        Assert.That(CodecCheck.Write(writer => codec.Write(writer, new Version(1, 2))), Is.EqualTo(Hex("\"1.2\"")));
        Assert.That(CodecCheck.Write(writer => codec.Write(writer, new Version(3, 4))), Is.EqualTo(Hex("\"3.4\"")));
    }

    [Test]
    public void Threads_write_side_by_side() => Parallel.For(0, 200, i =>
        Assert.That(CodecCheck.Write(type, new Point3(i, i)), Is.EqualTo(Hex($$"""{"X":{{i}},"Y":{{i}},"Name":null}"""))));

    [Test]
    public void A_large_object_outgrows_the_buffer()
    {
        var numbers = Enumerable.Range(0, 200_000).ToArray();
        Assert.That(CodecCheck.Write(type, numbers), Is.EqualTo(Hex($"[{string.Join(',', numbers)}]")));
    }

    private string Hex(string json) => JsonSamples.Hex(type, json);

    private sealed class Nested(string type) : JsonConverter<Version>
    {
        public override Version Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) => throw new NotSupportedException();

        public override void Write(Utf8JsonWriter writer, Version value, JsonSerializerOptions options)
        {
            CodecCheck.Write(type, new Point3(value.Major, value.Minor));
            writer.WriteStringValue(value.ToString());
        }
    }
}
