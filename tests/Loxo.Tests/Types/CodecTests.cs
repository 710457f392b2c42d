using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Loxo.Protocol;
using Loxo.Types;

namespace Loxo.Tests.Types;

/// <summary>What every codec promises, whatever the bytes.</summary>
public class CodecTests
{
    private const int InputsPerCodec = 2000;

    // Bytes that lead further into the codecs than random ones do: counts, OIDs, signs and digits that make sense.
    private static readonly string[] Plausible =
    [
        "00", "01", "0001", "00000001", "0000000000000001", "ffffffff", "7fffffff", "80000000", "7fffffffffffffff", "8000000000000000",
        "000000010000000000000017000000020000000100000004000000010000000400000002", "00000001000000010000001900000003000000010000000161ffffffff00000000",
        "000200000000000200011388", "000700040000000804d2162e23340d801ed204d2162e", "00000000c0000000", "0000000a8be62608ffffb2a8",
        "000000036c97ca88fffffffd0000000e", "0002b58341728614", "017b7d", "6772c3bc6e20e282ac",
        "02180004c0a80000", "0340001000000000000000000000000000000001", "00000005a8", "0000000361000002c00100026263000001000369742773000000",
        "0000000c02020204000202040001010000660001000065000204000101000064000203010000630001000062000201010c016100",
        "0200000004000000010000000400000005", "00000002000000110200000004000000010000000400000003000000110200000004000000050000000400000008",
        "00000003000000170000000400000001000002c1ffffffff000003ef00000024000000010000000000000017000000020000000100000004000000010000000400000002",
        "00000002000000000000001700000002000000010000000200000001000000040000000100000004000000020000000400000003" + "0000000400000004",
        "00000000023ff0000000000000400000000000000040080000000000004010000000000000", "3ff000000000000040000000000000004415af1d78b58c40",
        "400800000000000040100000000000003ff00000000000004000000000000000",
        "00000009ff80", "000000010002", "00000003000000000000000a0000000000000014000000000000000a000000000000000e000000000000000f",
        "01000000023ff0000000000000400000000000000040080000000000004010000000000000",
    ];

    private static readonly string[] PlausibleTexts =
    [
        "t", "f", "42", "-1.50", "NaN", "-Infinity", "1e5", "infinity", "2024-02-29", "0044-03-15 BC", "2024-02-29 12:34:56.789012+05:30", "23:59:59.9",
        "24:00:00", "12:00:00+00:19:32", "1 year 2 mons -3 days +04:05:06.789", "\\x00ff", "{1,NULL,\"a\\\"b\"}", "[0:1]={1,2}", "{{1},{2}}", "{}",
        "00112233-4455-6677-8899-aabbccddeeff", "\\377", "10.0.0.0/8", "fe80::1.2.3.4/64", "08:00:2b:01:02:03", "08:00:2b:01:02:03:04:05",
        "(1.5,-2e-07)", "{1,2,3}", "[(1,2),(3,4)]", "(3,4),(1,2)", "((1,2),(3,4),(5,6))", "<(1,2),3>", "10101", "(0,1)", "16/B374D848", "10:20:10,14,15", "{(3,4),(1,2);NULL}",
    ];

    // Types that share a codec are tried once.
    public static IEnumerable<TestCaseData> BinaryCodecs() => AllTypes()
        .Where(type => type.HasBinaryCodec)
        .SelectMany(type => type.ClrTypes
            .Where(clrType => type.Element is null || clrType == type.Default!.ValueType)
            .Where(clrType => Nullable.GetUnderlyingType(clrType) is null)
            .Select(clrType => (type, clrType)))
        .DistinctBy(pair => pair.type.CodecFor(pair.clrType)!.GetType())
        .Select(pair => new TestCaseData(pair.type.DisplayName, pair.clrType, false).SetArgDisplayNames(pair.type.DisplayName, ClrNames.Of(pair.clrType)));

    public static IEnumerable<TestCaseData> TextCodecs() =>
        from type in AllTypes()
        let codec = type.DefaultFor(FormatCode.Text)!
        where codec.ValueType != typeof(string) && codec.ValueType != typeof(string[])
        select new TestCaseData(type.DisplayName, codec.ValueType, true).SetArgDisplayNames(type.DisplayName, "text format");

    public static IEnumerable<TestCaseData> TextFormats() => AllTypes()
        .Where(type => !type.HasBinaryCodec && type.Name is not ("aclitem" or "gtsvector" or "pg_ndistinct" or "pg_dependencies" or "pg_mcv_list"))
        .Select(type => new TestCaseData(type.DisplayName, typeof(string), false).SetArgDisplayNames(type.DisplayName, "as text"));

    public static IEnumerable<string> DefaultCodecs() => AllTypes()
        .Where(type => type.HasBinaryCodec && type.Name is not ("record" or "_record")) // the server takes none back
        .Select(type => type.DisplayName);

    [TestCaseSource(nameof(BinaryCodecs))]
    [TestCaseSource(nameof(TextCodecs))]
    [TestCaseSource(nameof(TextFormats))]
    public void Whatever_the_bytes_reading_yields_a_value_or_a_precise_error(string type, Type clrType, bool asText)
    {
        var format = asText ? FormatCode.Text : FormatCode.Binary;
        var codec = CodecCheck.Type(type).CodecFor(clrType, format)!;
        Check.One(Config.QuickThrowOnFailure.WithMaxTest(InputsPerCodec), Prop.ForAll(Inputs(format).ToArbitrary(), bytes => IsValueOrPreciseError(codec, bytes)));
    }

    [TestCaseSource(nameof(DefaultCodecs))]
    public void What_the_default_codec_reads_it_writes_and_reads_again_as_the_same(string type)
    {
        var codec = CodecCheck.Type(type).Default!;
        foreach (var bytes in Plausible.Select(Convert.FromHexString).Where(bytes => !IsTextWithNul(codec, bytes)))
        {
            if (!TryRead(codec, bytes, out var value))
                continue;
            var again = codec.ReadObject(Convert.FromHexString(CodecCheck.Write(writer => CodecCheck.Type(type).CodecForValue(value!)!.WriteObject(writer, value!))));
            Assert.That(again, Is.EqualTo(value), Convert.ToHexStringLower(bytes));
        }
    }

    [TestCaseSource(nameof(BinaryCodecs))]
    public void Behind_its_length_a_value_has_the_bytes_that_it_has_without(string type, Type clrType, bool asText)
    {
        var codec = CodecCheck.Type(type).CodecFor(clrType, asText ? FormatCode.Text : FormatCode.Binary)!;
        var write = typeof(CodecTests).GetMethod(nameof(WriteBoth), System.Reflection.BindingFlags.NonPublic | System.Reflection.BindingFlags.Static)!
            .MakeGenericMethod(codec.ValueType);
        var values = 0;
        foreach (var bytes in Plausible.Select(Convert.FromHexString))
        {
            if (!TryRead(codec, bytes, out var value) || value!.GetType() != codec.ValueType)
                continue;
            var (plain, withLength) = ((string, string))write.Invoke(null, [codec, value])!;
            Assert.That(withLength, Is.EqualTo($"{plain.Length / 2:x8}{plain}"));
            values++;
        }
        if (Type.GetTypeCode(codec.ValueType) is >= TypeCode.SByte and <= TypeCode.DateTime)
            Assert.That(values, Is.Positive);
    }

    // What the codec refuses, it refuses in both ways.
    private static (string Plain, string WithLength) WriteBoth<T>(Codec codec, object value)
    {
        var typed = (Codec<T>)codec;
        try
        {
            return (CodecCheck.Write(writer => typed.Write(writer, (T)value)), CodecCheck.Write(writer => typed.WriteWithLength(writer, (T)value)));
        }
        catch (Exception error) when (error is PgException or InvalidCastException or OverflowException)
        {
            Assert.That(() => CodecCheck.Write(writer => typed.WriteWithLength(writer, (T)value)), Throws.TypeOf(error.GetType()));
            return ("", "00000000");
        }
    }

    private static IEnumerable<TypeEntry> AllTypes() => BuiltInTypes.Create(TypeSettings.Default).SelectMany(type => new[] { type, type.Array }).OfType<TypeEntry>();

    private static Gen<byte[]> Inputs(FormatCode format)
    {
        var random = ArbMap.Default.GeneratorFor<byte[]>().Where(bytes => bytes is not null);
        var plausible = Gen.Elements(format == FormatCode.Binary ? Plausible.Select(Convert.FromHexString) : PlausibleTexts.Select(Encoding.UTF8.GetBytes));
        var cut =
            from bytes in plausible
            from length in Gen.Choose(0, bytes.Length)
            select bytes[..length];
        var changed =
            from bytes in plausible
            from index in Gen.Choose(0, bytes.Length - 1)
            from value in ArbMap.Default.GeneratorFor<byte>()
            select bytes.Select((old, i) => i == index ? value : old).ToArray();
        return Gen.OneOf(random, plausible, cut, changed);
    }

    private static bool IsValueOrPreciseError(Codec codec, byte[] bytes)
    {
        try
        {
            return codec.ReadObject(bytes) is not null;
        }
        catch (Exception error) when (error is PgException or OverflowException or InvalidCastException)
        {
            return error.Message.EndsWith('.');
        }
    }

    private static bool TryRead(Codec codec, byte[] bytes, out object? value)
    {
        try
        {
            value = codec.ReadObject(bytes);
            return true;
        }
        catch (Exception error) when (error is PgException or OverflowException or InvalidCastException)
        {
            value = null;
            return false;
        }
    }

    // No server sends it, and it is refused on the way back.
    private static bool IsTextWithNul(Codec codec, byte[] bytes) => codec.ValueType == typeof(string) && bytes.Contains((byte)0);
}
