using Loxo.Protocol;
using Loxo.Types;

namespace Loxo.Tests.Types;

public class TypeEntryTests
{
    [Test]
    public void A_type_knows_its_array_and_the_array_its_element()
    {
        var integer = CodecCheck.Type("integer");
        Assert.That((integer.ArrayOid, integer.Element), Is.EqualTo((1007u, (TypeEntry?)null)));
        Assert.That(integer.Array!.Element, Is.SameAs(integer));
        Assert.That((integer.Array.Name, integer.Array.DisplayName, integer.Array.PgDbType), Is.EqualTo(("_int4", "integer[]", (PgDbType?)(PgDbType.Array | PgDbType.Integer))));
    }

    [Test]
    public void A_type_without_a_binary_codec_is_text()
    {
        var any = CodecCheck.Type("anyarray");
        Assert.That((any.HasBinaryCodec, any.Default, any.Format), Is.EqualTo((false, (Loxo.Codec?)null, FormatCode.Text)));
        Assert.That(any.CodecFor<int[]>(), Is.Null);
        Assert.That(any.CodecFor<string>(FormatCode.Text)!.Read("{1}"u8), Is.EqualTo("{1}"));
        Assert.That(any.DefaultFor(FormatCode.Text)!.ValueType, Is.EqualTo(typeof(string)));
        Assert.That(CodecCheck.Type("aclitem").Array!.HasBinaryCodec, Is.False);
    }

    [Test]
    public void A_type_without_a_binary_codec_is_shown_as_text_when_it_arrives_in_binary()
    {
        var array = Convert.FromHexString("000000010000000000000017000000010000000100000004000000ff");
        Assert.That(CodecCheck.Type("anyarray").DefaultFor(FormatCode.Binary)!.ReadObject(array), Is.EqualTo("{255}"));
        Assert.That(CodecCheck.Type("anyarray").CodecFor<string>()!.Read(array), Is.EqualTo("{255}"));
    }

    [TestCase("integer", "00000005", "5")]
    [TestCase("money", "00000000000004d2", "12.34")]
    [TestCase("regclass", "000004eb", "1259")]
    [TestCase("oidvector", "00000001000000000000001a000000020000000000000004000000010000000400000002", "1 2")]
    [TestCase("void", "", "")]
    [TestCase("inet", "02200004c0a80001", "192.168.0.1")]
    [TestCase("integer[]", "000000010000000000000017000000020000000100000004000000010000000400000002", "{1,2}")]
    public void Every_type_has_a_text(string type, string hex, string text) =>
        Assert.That(CodecCheck.Type(type).ToText(Convert.FromHexString(hex)), Is.EqualTo(text));

    [Test]
    public void A_type_that_is_not_read_as_asked_has_no_codec_for_it()
    {
        Assert.That(CodecCheck.Type("integer").CodecFor<Guid>(), Is.Null);
        Assert.That(CodecCheck.Type("integer").CodecFor<object>(), Is.Null);
    }

    [Test]
    public void A_single_bit_is_a_flag_when_its_column_says_so()
    {
        Assert.That(CodecCheck.Type("bit").DefaultFor(FormatCode.Binary, 1)!.ValueType, Is.EqualTo(typeof(bool)));
        Assert.That(CodecCheck.Type("bit").DefaultFor(FormatCode.Text, 1)!.ReadObject("1"u8), Is.True);
        Assert.That(CodecCheck.Type("bit").DefaultFor(FormatCode.Binary, 2)!.ValueType, Is.EqualTo(typeof(System.Collections.BitArray)));
        Assert.That(CodecCheck.Type("bit").DefaultFor(FormatCode.Binary, -1)!.ValueType, Is.EqualTo(typeof(System.Collections.BitArray)));
        Assert.That(CodecCheck.Type("varbit").DefaultFor(FormatCode.Binary, 1)!.ValueType, Is.EqualTo(typeof(System.Collections.BitArray)));
        Assert.That(CodecCheck.Type("int4").DefaultFor(FormatCode.Binary, 1)!.ValueType, Is.EqualTo(typeof(int)));
    }

    [Test]
    public void The_same_codec_is_found_every_time() =>
        Assert.That(CodecCheck.Type("integer").CodecFor<int>(), Is.SameAs(CodecCheck.Type("integer").CodecFor(typeof(int))));

    [Test]
    public void Text_format_is_read_as_the_same_NET_type() =>
        Assert.That(CodecCheck.Type("integer").DefaultFor(FormatCode.Text)!.ReadObject("42"u8), Is.EqualTo(42));

    [Test]
    public void Every_type_in_text_format_is_read_as_a_string()
    {
        foreach (var type in BuiltInTypes.Create(TypeSettings.Default).SelectMany(type => new[] { type, type.Array }).OfType<TypeEntry>().Where(type => type.Name != "numeric"))
            Assert.That(type.CodecFor<string>(FormatCode.Text)!.Read("x"u8), Is.EqualTo("x"), type.DisplayName);
    }

    [Test]
    public void A_value_is_written_by_the_codec_of_its_runtime_type()
    {
        var integers = CodecCheck.Type("integer[]");
        Assert.That(integers.CodecForValue(new[] { 1 })!.ValueType, Is.EqualTo(typeof(int[])));
        Assert.That(integers.CodecForValue(new System.Collections.ObjectModel.Collection<int>())!.ValueType, Is.EqualTo(typeof(IList<int>)));
        Assert.That(integers.CodecForValue("one"), Is.Null);
    }

    [Test]
    public void An_array_that_the_runtime_takes_for_another_is_not_reinterpreted()
    {
        Assert.That(CodecCheck.Type("integer[]").CodecForValue(new[] { uint.MaxValue }), Is.Null);
        Assert.That(CodecCheck.Type("integer[]").CodecForValue(new[] { DayOfWeek.Friday }), Is.Null);
        Assert.That(CodecCheck.Type("smallint[]").CodecForValue(new ushort[] { 1 }), Is.Null);
    }

    [Test]
    public void Threads_that_ask_at_once_all_get_a_codec()
    {
        var type = new TypeEntry(() => [new Loxo.Types.BoolCodec()]) { Oid = 1, ArrayOid = 2, Name = "x", DisplayName = "x" }.WithArray();
        Parallel.For(0, 64, _ => Assert.That(type.Array!.CodecFor<bool?[]>(), Is.Not.Null));
    }
}
