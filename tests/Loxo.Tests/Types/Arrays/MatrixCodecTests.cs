namespace Loxo.Tests.Types;

public class MatrixCodecTests
{
    // SELECT array_send('{{1,2},{3,4}}'::int[]), array_send('[0:0][-1:0]={{1,2}}'::int[]), array_send('[5:6]={1,2}'::int[])
    private const string TwoByTwo =
        "000000020000000000000017000000020000000100000002000000010000000400000001000000040000000200000004000000030000000400000004";

    private const string OneByTwoFromElsewhere = "000000020000000000000017000000010000000000000002ffffffff00000004000000010000000400000002";
    private const string TwoFromFive = "000000010000000000000017000000020000000500000004000000010000000400000002";
    private const string Empty = "000000000000000000000017";

    [Test]
    public void Elements_are_in_the_same_order_as_on_the_server()
    {
        CodecCheck.BothWays("integer[]", new[,] { { 1, 2 }, { 3, 4 } }, TwoByTwo);
        CodecCheck.BothWays("integer[]", new int?[,] { { 1, 2 }, { 3, 4 } }, TwoByTwo);
        CodecCheck.BothWays("integer[]", new long[,] { { 1, 2 }, { 3, 4 } }, TwoByTwo);
        CodecCheck.BothWays("integer[]", new object[,] { { 1, 2 }, { 3, 4 } }, TwoByTwo);
        CodecCheck.OnlyWhole<int[,]>("integer[]", TwoByTwo);
    }

    [Test]
    public void Up_to_six_dimensions_have_a_type()
    {
        var six = new string?[1, 2, 1, 2, 1, 2];
        six[0, 1, 0, 1, 0, 1] = "last";
        var hex = CodecCheck.Write("text[]", six);
        Assert.That(CodecCheck.Read<string?[,,,,,]>("text[]", hex), Is.EqualTo(six));
        CodecCheck.BothWays("text[]", new string?[,,] { { { "a", null } } },
            "000000030000000100000019000000010000000100000001000000010000000200000001" + "0000000161ffffffff");
        Assert.That(CodecCheck.Read<int[,,,]>("integer[]", CodecCheck.Write("integer[]", new int[1, 2, 3, 4])), Has.Length.EqualTo(24));
        Assert.That(CodecCheck.Read<int[,,,,]>("integer[]", CodecCheck.Write("integer[]", new int[1, 2, 3, 4, 5])), Has.Length.EqualTo(120));
    }

    [Test]
    public void Seven_dimensions_are_refused() =>
        Assert.That(() => CodecCheck.Write<Array>("integer[]", new int[1, 1, 1, 1, 1, 1, 1]), Throws.TypeOf<InvalidCastException>());

    [Test]
    public void An_empty_array_has_any_number_of_dimensions()
    {
        CodecCheck.BothWays("integer[]", new int[0, 0], Empty);
        Assert.That(CodecCheck.Read<int[,,]>("integer[]", Empty), Is.EqualTo(new int[0, 0, 0]));
        Assert.That(CodecCheck.Write("integer[]", new int[3, 0]), Is.EqualTo(Empty));
        Assert.That(CodecCheck.Read<Array>("integer[]", Empty), Is.TypeOf<int[]>().And.Empty);
        Assert.That(CodecCheck.Read<int[]>("integer[]", "0000000200000000000000170000000000000001" + "7fffffff00000001"), Is.Empty);
    }

    [Test]
    public void Another_number_of_dimensions_is_refused_with_the_right_one()
    {
        Assert.That(() => CodecCheck.Read<int[,,]>("integer[]", TwoByTwo), Throws.TypeOf<InvalidCastException>().With.Message.EqualTo(
            "An array of integer with 2 dimensions cannot become int[,,], which has 3. Read it as int[,], or as object or Array if the number varies."));
        Assert.That(() => CodecCheck.Read<int[,]>("integer[]", TwoFromFive), Throws.TypeOf<InvalidCastException>().With.Message.EqualTo(
            "An array of integer with 1 dimension cannot become int[,], which has 2. Read it as int[], or as object or Array if the number varies."));
    }

    [Test]
    public void Indexes_start_at_zero_unless_they_are_asked_for()
    {
        Assert.That(CodecCheck.Read<int[,]>("integer[]", OneByTwoFromElsewhere), Is.EqualTo(new[,] { { 1, 2 } }));
        Assert.That(CodecCheck.Read<int[]>("integer[]", TwoFromFive), Is.EqualTo(new[] { 1, 2 }));
        Assert.That(CodecCheck.Type("integer[]").Default!.ReadObject(Convert.FromHexString(OneByTwoFromElsewhere)), Is.EqualTo(new[,] { { 1, 2 } }));
    }

    [Test]
    public void As_Array_indexes_are_one_less_than_on_the_server_and_go_back_as_they_came()
    {
        var array = CodecCheck.Read<Array>("integer[]", OneByTwoFromElsewhere);
        Assert.That((array.GetLowerBound(0), array.GetLowerBound(1), array.GetValue(-1, -1)), Is.EqualTo((-1, -2, (object)2)));
        Assert.That(array.GetValue(-1, -2), Is.EqualTo(1));
        Assert.That(CodecCheck.Write("integer[]", array), Is.EqualTo(OneByTwoFromElsewhere));

        var vector = CodecCheck.Read<Array>("integer[]", TwoFromFive);
        Assert.That((vector.GetLowerBound(0), vector.GetValue(4), vector.GetValue(5)), Is.EqualTo((4, (object)1, (object)2)));
        Assert.That(CodecCheck.Write("integer[]", vector), Is.EqualTo(TwoFromFive));
        Assert.That(CodecCheck.Write(writer => CodecCheck.Type("integer[]").CodecForValue(vector)!.WriteObject(writer, vector)), Is.EqualTo(TwoFromFive));
    }

    [Test]
    public void An_ordinary_array_is_an_ordinary_array_as_Array_too() =>
        Assert.That(CodecCheck.Read<Array>("integer[]", TwoByTwo), Is.TypeOf<int[,]>());

    [Test]
    public void An_Array_of_another_element_type_that_fits_is_written()
    {
        Assert.That(CodecCheck.Write<Array>("integer[]", new long[,] { { 1, 2 }, { 3, 4 } }), Is.EqualTo(TwoByTwo));
        Assert.That(CodecCheck.Write<Array>("integer[]", new int?[,] { { 1, 2 }, { 3, 4 } }), Is.EqualTo(TwoByTwo));
        Assert.That(() => CodecCheck.Write<Array>("integer[]", new uint[1]), Throws.TypeOf<InvalidCastException>());
        Assert.That(() => CodecCheck.Write<Array>("integer[]", new[] { new[] { 1 } }), Throws.TypeOf<InvalidCastException>().With.Message.Contains("rectangular"));
    }

    [TestCase("80000000")]
    [TestCase("7fffffff")]
    public void A_first_index_that_NET_has_not_is_refused(string lower)
    {
        var hex = "000000010000000000000017" + "00000003" + lower + "000000040000000100000004000000010000000400000001";
        Assert.That(() => CodecCheck.Read<Array>("integer[]", hex), Throws.TypeOf<OverflowException>());
        Assert.That(CodecCheck.Read<int[]>("integer[]", hex), Has.Length.EqualTo(3));
    }
}
