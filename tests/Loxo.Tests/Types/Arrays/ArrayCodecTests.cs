using Loxo.Types;

namespace Loxo.Tests.Types;

public class ArrayCodecTests
{
    private const string OneTwo = "000000010000000000000017000000020000000100000004000000010000000400000002";
    private const string OneNull = "00000001000000010000001700000002000000010000000400000001ffffffff";

    [Test]
    public void An_array_is_its_elements_behind_their_lengths()
    {
        CodecCheck.BothWays<int[]>("integer[]", [1, 2], OneTwo);
        CodecCheck.BothWays<List<int>>("integer[]", [1, 2], OneTwo);
        CodecCheck.BothWays<IList<int>>("integer[]", [1, 2], OneTwo);
        CodecCheck.BothWays<long[]>("integer[]", [1, 2], OneTwo);
        CodecCheck.OnlyWhole<int[]>("integer[]", OneTwo);
        CodecCheck.OnlyWhole<List<int>>("integer[]", OneTwo);
    }

    [Test]
    public void A_nullable_element_holds_a_NULL()
    {
        CodecCheck.BothWays<int?[]>("integer[]", [1, null], OneNull);
        CodecCheck.BothWays<List<int?>>("integer[]", [1, null], OneNull);
        CodecCheck.BothWays<IList<int?>>("integer[]", [1, null], OneNull);
        CodecCheck.BothWays<decimal?[]>("numeric[]", [1.5m, null], "0000000100000001000006a400000002000000010000000c000200000000000100011388ffffffff");
    }

    [Test]
    public void A_reference_element_holds_a_NULL_by_itself()
    {
        const string hex = "00000001000000010000001900000003000000010000000161ffffffff00000000";
        CodecCheck.BothWays<string?[]>("text[]", ["a", null, ""], hex);
        CodecCheck.BothWays<List<string?>>("text[]", ["a", null, ""], hex);
    }

    [Test]
    public void Nullable_elements_without_a_NULL_are_written_as_such() => CodecCheck.BothWays<int?[]>("integer[]", [1, 2], OneTwo);

    [Test]
    public void A_NULL_in_an_array_that_cannot_hold_it_is_refused_with_its_index()
    {
        const string message = "An array of integer whose element 1 is NULL cannot become int[]. Read it as int?[], or set 'Array Nullability Mode=PerInstance'.";
        Assert.That(() => CodecCheck.Read<int[]>("integer[]", OneNull), Throws.TypeOf<InvalidCastException>().With.Message.EqualTo(message));
        Assert.That(() => CodecCheck.Read<List<int>>("integer[]", OneNull), Throws.TypeOf<InvalidCastException>());
    }

    [Test]
    public void An_empty_array_has_no_dimension()
    {
        CodecCheck.BothWays<int[]>("integer[]", [], "000000000000000000000017");
        CodecCheck.BothWays<List<int>>("integer[]", [], "000000000000000000000017");
        CodecCheck.BothWays<string[]>("text[]", [], "000000000000000000000019");
    }

    [Test]
    public void The_first_index_does_not_matter() =>
        Assert.That(CodecCheck.Read<int[]>("integer[]", "000000010000000000000017000000020000000000000004000000010000000400000002"), Is.EqualTo((int[])[1, 2]));

    [Test]
    public void Two_dimensions_are_not_flattened() =>
        Assert.That(() => CodecCheck.Read<int[]>("integer[]",
                "000000020000000000000017000000020000000100000002000000010000000400000001000000040000000200000004000000030000000400000004"),
            Throws.TypeOf<InvalidCastException>().With.Message.EqualTo(
                "An array of integer with 2 dimensions cannot become int[], which has one. Read it as int[,], or as object or Array if the number varies."));

    [Test]
    public void Whatever_implements_IList_can_be_written() =>
        Assert.That(CodecCheck.Write<IList<int>>("integer[]", new System.Collections.ObjectModel.ReadOnlyCollection<int>([1, 2])), Is.EqualTo(OneTwo));

    [Test]
    public void Without_a_type_an_array_is_T_array() => Assert.That(CodecCheck.Type("integer[]").Default!.ValueType, Is.EqualTo(typeof(int[])));

    [Test]
    public void Without_a_type_two_dimensions_are_an_array_of_two() => Assert.That(
        CodecCheck.Type("integer[]").Default!.ReadObject(Convert.FromHexString(
            "0000000200000000000000170000000100000001000000020000000100000004000000010000000400000002")),
        Is.TypeOf<int[,]>().And.EqualTo(new[,] { { 1, 2 } }));

    [Test]
    public void An_array_of_arrays_is_refused_with_what_to_give_instead() =>
        Assert.That(() => TypeErrorsOf("integer[]", new[] { new[] { 1 } }), Is.EqualTo(
            "A value of .NET type int[][] cannot be written as PostgreSQL type integer[]. An array of PostgreSQL is rectangular, " +
            "an array of arrays is not: give an array of several dimensions, such as int[,]."));

    [TestCase(ArrayNullabilityMode.Never, typeof(int[]), typeof(int[]))]
    [TestCase(ArrayNullabilityMode.Always, typeof(int?[]), typeof(int?[]))]
    [TestCase(ArrayNullabilityMode.PerInstance, typeof(Array), typeof(int[]))]
    public void What_an_array_becomes_when_nothing_is_asked_is_a_setting(ArrayNullabilityMode mode, Type declared, Type actual)
    {
        var array = BuiltInTypes.Create(new TypeSettings { ArrayNullability = mode }).Single(type => type.Name == "int4").Array!;
        Assert.That(array.Default!.ValueType, Is.EqualTo(declared));
        Assert.That(array.Default.ReadObject(Convert.FromHexString(OneTwo)), Is.TypeOf(actual));
        Assert.That(array.CodecFor<int[]>()!.Read(Convert.FromHexString(OneTwo)), Is.EqualTo((int[])[1, 2]));
        if (mode == ArrayNullabilityMode.Never)
            Assert.That(() => array.Default.ReadObject(Convert.FromHexString(OneNull)), Throws.TypeOf<InvalidCastException>());
        else
            Assert.That(array.Default.ReadObject(Convert.FromHexString(OneNull)), Is.TypeOf<int?[]>());
    }

    private static string TypeErrorsOf(string type, object value)
    {
        Assert.That(CodecCheck.Type(type).CodecForValue(value), Is.Null);
        return ConversionErrors.NotWritable(CodecCheck.Type(type), value.GetType()).Message;
    }
}
