using System.Text.Json;

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
}
