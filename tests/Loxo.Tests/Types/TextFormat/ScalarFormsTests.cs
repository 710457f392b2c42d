using Loxo.Types.TextFormat;

namespace Loxo.Tests.Types.TextFormat;

public class ScalarFormsTests
{
    [Test]
    public void A_boolean_is_a_letter()
    {
        FormCheck.BothWays(new BoolForm(), "t", "01");
        FormCheck.BothWays(new BoolForm(), "f", "00");
        FormCheck.Refuses(new BoolForm(), "true");
    }

    [Test]
    public void Numbers_are_digits()
    {
        FormCheck.BothWays(NumberForms.Int2, "-32768", "8000");
        FormCheck.BothWays(NumberForms.Int4, "2147483647", "7fffffff");
        FormCheck.BothWays(NumberForms.Int8, "-9223372036854775808", "8000000000000000");
        FormCheck.BothWays(NumberForms.Oid, "4294967295", "ffffffff");
        FormCheck.BothWays(NumberForms.Xid8, "18446744073709551615", "ffffffffffffffff");
        FormCheck.BothWays(NumberForms.Float4, "-Infinity", "ff800000");
        FormCheck.BothWays(NumberForms.Float8, "-1.5", "bff8000000000000");
        Assert.That(FormCheck.ToBinary(NumberForms.Float8, "1e-07"), Is.EqualTo("3e7ad7f29abcaf48"));
        FormCheck.Refuses(NumberForms.Int2, "32768");
        FormCheck.Refuses(NumberForms.Oid, "-1");
        FormCheck.Refuses(NumberForms.Int4, "");
    }

    [Test]
    public void A_numeric_is_digits_of_any_length()
    {
        FormCheck.BothWays(new NumericForm(), "123.45", "0002000000000002007b1194");
        FormCheck.BothWays(new NumericForm(), "NaN", "00000000c0000000");
        FormCheck.Refuses(new NumericForm(), "1,5");
    }

    [Test]
    public void A_uuid_has_36_characters()
    {
        FormCheck.BothWays(new UuidForm(), "00112233-4455-6677-8899-aabbccddeeff", "00112233445566778899aabbccddeeff");
        FormCheck.Refuses(new UuidForm(), "00112233");
    }

    [Test]
    public void Bytes_are_hexadecimal()
    {
        FormCheck.BothWays(new ByteaForm(), "\\x00ff10", "00ff10");
        FormCheck.BothWays(new ByteaForm(), "\\x", "");
        FormCheck.Refuses(new ByteaForm(), "\\x0");
        FormCheck.Refuses(new ByteaForm(), "\\xzz");
        FormCheck.Refuses(new ByteaForm(), "abc\\000");
    }

    [Test]
    public void A_byte_character_is_itself_or_octal()
    {
        FormCheck.BothWays(new InternalCharForm(), "x", "78");
        FormCheck.BothWays(new InternalCharForm(), "", "00");
        FormCheck.BothWays(new InternalCharForm(), "\\200", "80");
        FormCheck.BothWays(new InternalCharForm(), "\\", "5c");
        FormCheck.Refuses(new InternalCharForm(), "ab");
        FormCheck.Refuses(new InternalCharForm(), "\\400");
    }

    [Test]
    public void Text_is_text_and_jsonb_text_behind_a_version()
    {
        FormCheck.BothWays(new IdentityForm(), "grün", "6772c3bc6e");
        FormCheck.BothWays(new VersionedForm("jsonb"), "{}", "017b7d");
    }
}
