using System.Text;
using Loxo.Protocol.Frontend;
using Loxo.Types.TextFormat;

namespace Loxo.Tests.Types.TextFormat;

/// <summary>Runs a form both ways.</summary>
internal static class FormCheck
{
    public static string ToBinary(TextForm form, string text)
    {
        var writer = new MessageWriter();
        form.WriteBinary(writer, Encoding.UTF8.GetBytes(text));
        return Convert.ToHexStringLower(writer.Pending);
    }

    public static void BothWays(TextForm form, string text, string hex)
    {
        Assert.That(ToBinary(form, text), Is.EqualTo(hex));
        Assert.That(form.ToText(Convert.FromHexString(hex)), Is.EqualTo(text));
    }

    public static void Refuses(TextForm form, string text) =>
        Assert.That(() => ToBinary(form, text), Throws.TypeOf<PgException>().With.Message.Contains("the text is '"), text);
}

public class TextFormTests
{
    [Test]
    public void Only_types_whose_values_are_text_need_no_conversion()
    {
        Assert.That(new IdentityForm().IsTextItself, Is.True);
        Assert.That(new VersionedForm("jsonb").IsTextItself, Is.True);
        Assert.That(new BoolForm().IsTextItself, Is.False);
    }
}
