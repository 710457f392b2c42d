using Loxo.Types;

namespace Loxo.Tests.Types;

public class ScalarTextFormatsTests
{
    [Test]
    public void A_boolean_is_a_letter()
    {
        FormCheck.BothWays(new BoolTextFormat(), "t", "01");
        FormCheck.BothWays(new BoolTextFormat(), "f", "00");
        FormCheck.Refuses(new BoolTextFormat(), "true");
    }

    [Test]
    public void Numbers_are_digits()
    {
        FormCheck.BothWays(FormatOf("int2"), "-32768", "8000");
        FormCheck.BothWays(FormatOf("int4"), "2147483647", "7fffffff");
        FormCheck.BothWays(FormatOf("int8"), "-9223372036854775808", "8000000000000000");
        FormCheck.BothWays(FormatOf("oid"), "4294967295", "ffffffff");
        FormCheck.BothWays(FormatOf("xid8"), "18446744073709551615", "ffffffffffffffff");
        FormCheck.BothWays(FormatOf("float4"), "-Infinity", "ff800000");
        FormCheck.BothWays(FormatOf("float8"), "-1.5", "bff8000000000000");
        Assert.That(FormCheck.ToBinary(FormatOf("float8"), "1e-07"), Is.EqualTo("3e7ad7f29abcaf48"));
        FormCheck.Refuses(FormatOf("int2"), "32768");
        FormCheck.Refuses(FormatOf("oid"), "-1");
        FormCheck.Refuses(FormatOf("int4"), "");
    }

    [Test]
    public void A_numeric_is_digits_of_any_length()
    {
        FormCheck.BothWays(new NumericTextFormat(), "123.45", "0002000000000002007b1194");
        FormCheck.BothWays(new NumericTextFormat(), "NaN", "00000000c0000000");
        FormCheck.Refuses(new NumericTextFormat(), "1,5");
    }

    [Test]
    public void A_uuid_has_36_characters()
    {
        FormCheck.BothWays(new UuidTextFormat(), "00112233-4455-6677-8899-aabbccddeeff", "00112233445566778899aabbccddeeff");
        FormCheck.Refuses(new UuidTextFormat(), "00112233");
    }

    [Test]
    public void Bytes_are_hexadecimal()
    {
        FormCheck.BothWays(new ByteaTextFormat(), "\\x00ff10", "00ff10");
        FormCheck.BothWays(new ByteaTextFormat(), "\\x", "");
        Assert.That(FormCheck.ToBinary(new ByteaTextFormat(), ""), Is.Empty, "as with bytea_output = escape");
        FormCheck.Refuses(new ByteaTextFormat(), "\\x0");
        FormCheck.Refuses(new ByteaTextFormat(), "\\xzz");
        FormCheck.Refuses(new ByteaTextFormat(), "abc\\000");
    }

    [Test]
    public void A_byte_character_is_itself_or_octal()
    {
        FormCheck.BothWays(new InternalCharTextFormat(), "x", "78");
        FormCheck.BothWays(new InternalCharTextFormat(), "", "00");
        FormCheck.BothWays(new InternalCharTextFormat(), "\\200", "80");
        FormCheck.BothWays(new InternalCharTextFormat(), "\\", "5c");
        FormCheck.Refuses(new InternalCharTextFormat(), "ab");
        FormCheck.Refuses(new InternalCharTextFormat(), "\\400");
    }

    [Test]
    public void Text_is_text_and_jsonb_text_behind_a_version()
    {
        FormCheck.BothWays(new PlainTextFormat(), "grün", "6772c3bc6e");
        FormCheck.BothWays(new VersionedTextFormat("jsonb"), "{}", "017b7d");
    }

    [TestCase("bool", "t", true)]
    [TestCase("int4", "1", true)]
    [TestCase("float8", "1.5", true)]
    [TestCase("numeric", "1.5", true)]
    [TestCase("date", "2024-02-29", true)]
    [TestCase("time", "12:34:56", true)]
    [TestCase("timetz", "12:34:56+01", true)]
    [TestCase("timestamp", "2024-02-29 12:34:56", true)]
    [TestCase("timestamptz", "2024-02-29 12:34:56+01", true)]
    [TestCase("interval", "1 day 02:00:00", true)]
    [TestCase("macaddr", "08:00:2b:01:02:03", true)]
    [TestCase("macaddr8", "08:00:2b:01:02:03:04:05", true)]
    [TestCase("uuid", "00112233-4455-6677-8899-aabbccddeeff", false)]
    [TestCase("inet", "1.2.3.4", false)]
    [TestCase("varbit", "101", false)]
    [TestCase("bytea", "\\x00", false)]
    [TestCase("pg_lsn", "1/2", false)]
    public void Blanks_around_a_value_are_skipped_where_the_server_skips_them(string type, string text, bool skipped)
    {
        foreach (var padded in new[] { " " + text, text + " ", $" \t\n\v\f\r{text}\r\f\v\n\t " })
        {
            if (skipped)
                Assert.That(FormCheck.ToBinary(FormatOf(type), padded), Is.EqualTo(FormCheck.ToBinary(FormatOf(type), text)), padded);
            else
                FormCheck.Refuses(FormatOf(type), padded);
        }
    }

    private static TextFormat FormatOf(string type) => CodecCheck.Type(type).TextFormat!;
}
