using Loxo.Types;

namespace Loxo.Tests.Types;

public class ValueCodecTests
{
    [Test]
    public void A_value_type_brings_arrays_of_itself_and_of_its_nullable_form()
    {
        var integer = CodecCheck.Type("integer");
        Assert.That(CodecCheck.Codec<int>("integer").ArraysOf(new ArrayCodecs(integer)).Select(codec => codec.ValueType), Is.EqualTo(
            new[] { typeof(int[]), typeof(int?[]) }));
        Assert.That(CodecCheck.Codec<int>("integer").Nullable!.ValueType, Is.EqualTo(typeof(int?)));
    }

    [Test]
    public void A_reference_type_needs_no_nullable_form()
    {
        var text = CodecCheck.Type("text");
        Assert.That(CodecCheck.Codec<string>("text").ArraysOf(new ArrayCodecs(text)).Select(codec => codec.ValueType), Is.EqualTo(
            new[] { typeof(string[]) }));
        Assert.That(CodecCheck.Codec<string>("text").Nullable, Is.Null);
    }

    [Test]
    public void The_nullable_form_is_made_once() =>
        Assert.That(CodecCheck.Codec<int>("integer").Nullable, Is.SameAs(CodecCheck.Codec<int>("integer").Nullable));

    [Test]
    public void Every_codec_brings_ranges_and_multiranges()
    {
        Assert.That(CodecCheck.Codec<int>("integer").RangesOf(new RangeCodecs("r")).Select(codec => codec.ValueType), Is.EqualTo(new[] { typeof(PgRange<int>) }));
        Assert.That(CodecCheck.Codec<string>("text").RangesOf(new RangeCodecs("r")).Select(codec => codec.ValueType), Is.EqualTo(new[] { typeof(PgRange<string>) }));
        Assert.That(CodecCheck.Codec<int>("integer").RangesOf(new MultirangeCodecs("m")).Select(codec => codec.ValueType),
            Is.EqualTo(new[] { typeof(PgRange<int>[]), typeof(List<PgRange<int>>) }));
    }

    [Test]
    public void Ranges_have_no_ranges() => Assert.That(CodecCheck.Codec<PgRange<int>>("int4range").RangesOf(new RangeCodecs("r")), Is.Empty);
}
