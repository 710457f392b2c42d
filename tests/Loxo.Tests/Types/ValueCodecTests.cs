namespace Loxo.Tests.Types;

public class ValueCodecTests
{
    [Test]
    public void A_value_type_brings_arrays_of_itself_and_of_its_nullable_form()
    {
        var integer = CodecCheck.Type("integer");
        Assert.That(CodecCheck.Codec<int>("integer").ArraysOf(integer).Select(codec => codec.ValueType), Is.EqualTo(
            new[] { typeof(int[]), typeof(int?[]), typeof(List<int>), typeof(List<int?>), typeof(IList<int>), typeof(IList<int?>) }));
        Assert.That(CodecCheck.Codec<int>("integer").Nullable!.ValueType, Is.EqualTo(typeof(int?)));
    }

    [Test]
    public void A_reference_type_needs_no_nullable_form()
    {
        var text = CodecCheck.Type("text");
        Assert.That(CodecCheck.Codec<string>("text").ArraysOf(text).Select(codec => codec.ValueType), Is.EqualTo(
            new[] { typeof(string[]), typeof(List<string>), typeof(IList<string>) }));
        Assert.That(CodecCheck.Codec<string>("text").Nullable, Is.Null);
    }

    [Test]
    public void The_nullable_form_is_made_once() =>
        Assert.That(CodecCheck.Codec<int>("integer").Nullable, Is.SameAs(CodecCheck.Codec<int>("integer").Nullable));
}
