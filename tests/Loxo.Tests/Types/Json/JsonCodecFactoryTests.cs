using System.Numerics;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Loxo.Tests.Types;

public class JsonCodecFactoryTests
{
    [Test]
    public void Streams_and_readers_are_no_JSON()
    {
        Assert.That(CodecCheck.Type("jsonb").CodecFor<MemoryStream>(), Is.Null);
        Assert.That(CodecCheck.Type("jsonb").CodecForValue(new StringReader("{}")), Is.Null);
        Assert.That(CodecCheck.Type("json").CodecFor<DBNull>(), Is.Null);
    }

    [Test]
    public void A_number_that_the_serializer_takes_for_an_object_is_no_JSON()
    {
        Assert.That(() => CodecCheck.Type("json").CodecFor<BigInteger>()!.Read("{}"u8), Throws.InstanceOf<InvalidCastException>());
        Assert.That(
            () => CodecCheck.Write(writer => CodecCheck.Type("json").CodecFor<BigInteger>()!.Write(writer, 5)),
            Throws.InstanceOf<InvalidCastException>());
        var options = new JsonSerializerOptions { Converters = { new NumberConverter() } };
        Assert.That(JsonSamples.Type("json", options).CodecFor<BigInteger>()!.Read("5"u8), Is.EqualTo(new BigInteger(5)));
    }

    [Test]
    public void Metadata_of_the_callers_own_wins()
    {
        var factory = (Loxo.Types.JsonCodecFactory)CodecCheck.Type("jsonb").Factory!;
        var codec = factory.With(SampleContext.Default.Point3);
        Assert.That(CodecCheck.Write(writer => codec.Write(writer, new Point3(1, 2))), Is.EqualTo(JsonSamples.Hex("jsonb", """{"x":1,"y":2,"name":null}""")));
        Assert.That(codec.Read(Convert.FromHexString(JsonSamples.Hex("jsonb", """{"x":1,"y":2}"""))), Is.EqualTo(new Point3(1, 2)));
    }

    [Test]
    public void Other_types_make_no_JSON() => Assert.That(CodecCheck.Type("text").CodecFor<Point3>(), Is.Null);

    [Test]
    public void The_options_of_the_caller_are_not_changed()
    {
        var options = new JsonSerializerOptions();
        JsonSamples.Type("jsonb", options).CodecFor<int[]>()!.Read([1, (byte)'[', (byte)']']);
        Assert.That((options.IsReadOnly, options.AllowOutOfOrderMetadataProperties), Is.EqualTo((false, false)));
    }

    private sealed class NumberConverter : JsonConverter<BigInteger>
    {
        public override BigInteger Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) => reader.GetInt64();

        public override void Write(Utf8JsonWriter writer, BigInteger value, JsonSerializerOptions options) => writer.WriteNumberValue((long)value);
    }
}
