using Loxo.Types;

namespace Loxo.Tests.Types;

public class LateBoundCodecTests
{
    [Test]
    public void An_array_of_objects_takes_elements_of_any_type_that_fits() =>
        Assert.That(CodecCheck.Write<object?[]>("integer[]", [1, 2L, null, (short)3]),
            Is.EqualTo(CodecCheck.Write<int?[]>("integer[]", [1, 2, null, 3])));

    [Test]
    public void An_array_of_objects_is_read_as_the_default_of_its_elements() =>
        Assert.That(CodecCheck.Read<object?[]>("integer[]", CodecCheck.Write<int?[]>("integer[]", [1, null])), Is.EqualTo(new object?[] { 1, null }));

    [Test]
    public void An_element_that_does_not_fit_is_refused() =>
        Assert.That(() => CodecCheck.Write<object?[]>("integer[]", [1, "two"]), Throws.TypeOf<InvalidCastException>().With.Message.EqualTo(
            "A value of .NET type string cannot be written as PostgreSQL type integer. Give int, long, short, byte, sbyte, float, double or decimal, or name another PostgreSQL type."));

    [Test]
    public void A_list_of_objects_is_written_too() =>
        Assert.That(CodecCheck.Write<List<object>>("text[]", ["a", 'b']), Is.EqualTo(CodecCheck.Write<string[]>("text[]", ["a", "b"])));

    [Test]
    public void Nothing_is_late_bound_in_a_type_without_codecs() =>
        Assert.That(TypeCatalog.BuiltIn.Find("aclitem[]")!.CodecFor<object[]>(), Is.Null);
}
