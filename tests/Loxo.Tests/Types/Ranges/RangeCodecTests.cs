using System.Numerics;
using Loxo.Types;

namespace Loxo.Tests.Types;

public class RangeCodecTests
{
    private const string OneToFive = "0200000004000000010000000400000005";
    private const string TwoRanges = "00000002000000110200000004000000010000000400000003000000110200000004000000050000000400000008";

    [Test]
    public void A_range_is_its_flags_and_the_bounds_it_has()
    {
        CodecCheck.BothWays("int4range", new PgRange<int>(1, true, 5, false), OneToFive);
        CodecCheck.BothWays<PgRange<int>?>("int4range", new PgRange<int>(1, true, 5, false), OneToFive);
        CodecCheck.BothWays("int4range", PgRange<int>.Empty, "01");
        CodecCheck.BothWays("int4range", new PgRange<int>(0, false, true, 5, false, false), "080000000400000005");
        CodecCheck.BothWays("int8range", new PgRange<long>(0, false, true, 0, false, true), "18");
        CodecCheck.BothWays("numrange", new PgRange<decimal>(1.5m, 2.5m), "060000000c0002000000000001000113880000000c000200000000000100021388");
        CodecCheck.BothWays("daterange", new PgRange<DateOnly>(new(2024, 1, 1), true, false, default, false, true), "12000000040000223e");
        CodecCheck.BothWays("tsrange", new PgRange<DateTime>(new(2024, 1, 1), true, new(2024, 1, 2), false), "02000000080002b0d5d4e94000000000080002b0e9f2c0a000");
        CodecCheck.OnlyWhole<PgRange<int>>("int4range", OneToFive);
    }

    [Test]
    public void Bounds_are_of_every_type_that_the_subtype_is_read_as()
    {
        CodecCheck.BothWays("int4range", new PgRange<long>(1, true, 5, false), OneToFive);
        CodecCheck.BothWays("numrange", new PgRange<BigInteger>(1, 2), "060000000a000100000000000000010000000a00010000000000000002");
        CodecCheck.BothWays("daterange", new PgRange<int>(8766, true, false, 0, false, true), "12000000040000223e");
        CodecCheck.BothWays("tstzrange", new PgRange<DateTimeOffset>(DateTimeOffset.UnixEpoch, true, false, default, false, true), "1200000008fffca2fec4c82000");
    }

    [Test]
    public void The_flags_of_the_server_s_own_are_not_looked_at() =>
        Assert.That(CodecCheck.Read<PgRange<int>>("int4range", "82" + OneToFive[2..]), Is.EqualTo(new PgRange<int>(1, true, 5, false)));

    [TestCase("02ffffffff0000000400000005", "a bound of it is NULL")]
    [TestCase("0100000004", "bytes are left over")]
    [TestCase("020000000300000100000004", "expected 4 bytes, got 3")]
    public void What_no_server_sends_is_refused(string hex, string why) =>
        Assert.That(() => CodecCheck.Read<PgRange<int>>("int4range", hex), Throws.TypeOf<PgException>().With.Message.Contains(why));

    [Test]
    public void A_multirange_is_its_ranges()
    {
        PgRange<int>[] ranges = [new(1, true, 3, false), new(5, true, 8, false)];
        CodecCheck.BothWays("int4multirange", ranges, TwoRanges);
        CodecCheck.BothWays("int4multirange", ranges.ToList(), TwoRanges);
        CodecCheck.BothWays<PgRange<int>[]>("int4multirange", [], "00000000");
        CodecCheck.OnlyWhole<PgRange<int>[]>("int4multirange", TwoRanges);
        Assert.That(CodecCheck.Type("int4multirange").Default!.ValueType, Is.EqualTo(typeof(PgRange<int>[])));
    }

    [TestCase("7fffffff", "it claims more parts than it has bytes for")]
    [TestCase("00000001ffffffff00", "a range of it is NULL")]
    public void A_hostile_multirange_is_refused_before_memory_is_taken(string hex, string why) =>
        Assert.That(() => CodecCheck.Read<PgRange<int>[]>("int4multirange", hex), Throws.TypeOf<PgException>().With.Message.Contains(why));

    [Test]
    public void Ranges_and_multiranges_have_arrays()
    {
        CodecCheck.BothWays<PgRange<int>[]>("int4range[]", [new(1, true, 5, false)], "000000010000000000000f40000000010000000100000011" + OneToFive);
        CodecCheck.BothWays<PgRange<int>?[]>("int4range[]", [null], "000000010000000100000f400000000100000001ffffffff");
        CodecCheck.BothWays<PgRange<int>[][]>("int4multirange[]", [[new(1, true, 5, false)]],
            "000000010000000000001163000000010000000100000019" + "0000000100000011" + OneToFive);
        Assert.That(CodecCheck.Read<List<PgRange<int>>[]>("int4multirange[]", "000000010000000000001163000000010000000100000004" + "00000000").Single(), Is.Empty);
    }

    [Test]
    public void Both_are_read_and_written_as_text_too()
    {
        CodecCheck.BothWays("int4range", "[1,5)", OneToFive);
        CodecCheck.BothWays("int4multirange", "{[1,3),[5,8)}", TwoRanges);
        Assert.That(CodecCheck.ReadText<PgRange<int>>("int4range", "[1,5)"), Is.EqualTo(new PgRange<int>(1, true, 5, false)));
        Assert.That(CodecCheck.ReadText<string>("int4range", "[1,5)"), Is.EqualTo("[1,5)"));
        Assert.That(CodecCheck.ReadText<PgRange<DateTime>?[]>("tsrange[]", """{"[\"2024-01-01 00:00:00\",)",NULL}""")[0]!.Value.LowerBound, Is.EqualTo(new DateTime(2024, 1, 1)));
        Assert.That(CodecCheck.ReadText<PgRange<int>[]>("int4multirange", "{[1,3),[5,8)}"), Has.Length.EqualTo(2));
    }

    [Test]
    public void A_codec_of_the_user_s_has_ranges_too()
    {
        var types = BuiltInTypes.Create(TypeSettings.Default);
        types.Single(type => type.Name == "int4").Map(() => [new NumberCodec<int, Int128>("integer")]);
        Assert.That(types.Single(type => type.Name == "int4range").Default!.ReadObject(Convert.FromHexString(OneToFive)), Is.EqualTo(new PgRange<Int128>(1, true, 5, false)));
        Assert.That(types.Single(type => type.Name == "int4multirange").Default!.ValueType, Is.EqualTo(typeof(PgRange<Int128>[])));
    }

    [Test]
    public void Ranges_of_any_codec_are_a_type_of_their_own()
    {
        var text = CodecCheck.Type("text");
        var range = new TypeEntry(() => text.RangesOf(new RangeCodecs("textrange"))) { Oid = 1_000_000, Name = "textrange", DisplayName = "textrange" };
        var hex = CodecCheck.Write(writer => range.CodecFor<PgRange<string>>()!.Write(writer, new("a", true, "b", false)));
        Assert.That(hex, Is.EqualTo("0200000001610000000162"));
        Assert.That(new RangeCodec<string>(CodecCheck.Codec<string>("text"), "textrange").Read(Convert.FromHexString(hex)), Is.EqualTo(new PgRange<string>("a", true, "b", false)));
    }

    [Test]
    public void A_bound_that_cannot_be_written_is_refused() =>
        Assert.That(() => CodecCheck.Write("tstzrange", new PgRange<DateTime>(DateTime.UtcNow, DateTime.Now.AddDays(1))), Throws.TypeOf<ArgumentException>());
}
