using System.Text;
using Loxo.Protocol.Frontend;
using Loxo.Types;

namespace Loxo.Tests.Types;

/// <summary>Runs a form both ways.</summary>
internal static class FormCheck
{
    public static string ToBinary(TextFormat form, string text)
    {
        var writer = new MessageWriter();
        form.WriteBinary(writer, Encoding.UTF8.GetBytes(text));
        return Convert.ToHexStringLower(writer.Pending);
    }

    public static void BothWays(TextFormat form, string text, string hex)
    {
        Assert.That(ToBinary(form, text), Is.EqualTo(hex));
        Assert.That(form.ToText(Convert.FromHexString(hex)), Is.EqualTo(text));
    }

    public static void Shows(TextFormatter formatter, string hex, string text) => Assert.That(formatter.ToText(Convert.FromHexString(hex)), Is.EqualTo(text));

    /// <summary>No part of the bytes is taken for a value, nor the bytes and one more.</summary>
    public static void OnlyWhole(TextFormatter formatter, string hex)
    {
        var bytes = Convert.FromHexString(hex);
        for (var length = 0; length < bytes.Length; length++)
            Assert.That(() => formatter.ToText(bytes.AsSpan(0, length)), Throws.TypeOf<PgException>(), $"{length} bytes of {hex}");
        Assert.That(() => formatter.ToText([.. bytes, 0]), Throws.TypeOf<PgException>(), "one byte more than " + hex);
    }

    public static void Refuses(TextFormat form, string text) =>
        Assert.That(() => ToBinary(form, text), Throws.TypeOf<PgException>().With.Message.Contains("the text is '"), text);
}

public class TextFormatTests
{
    [Test]
    public void Only_types_whose_values_are_text_need_no_conversion()
    {
        Assert.That(new PlainTextFormat().IsTextItself, Is.True);
        Assert.That(new VersionedTextFormat("jsonb").IsTextItself, Is.True);
        Assert.That(new BoolTextFormat().IsTextItself, Is.False);
    }
}
