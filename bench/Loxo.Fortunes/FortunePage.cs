using System.Buffers;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Unicode;

namespace Loxo.Fortunes;

/// <summary>The page: the rows and one more, sorted by message, as an HTML table.</summary>
internal static class FortunePage
{
    public const string ContentType = "text/html; charset=utf-8";

    // Returns a text that needs no encoding as it is, Japanese too.
    private static readonly HtmlEncoder Encoder =
        HtmlEncoder.Create(UnicodeRanges.BasicLatin, UnicodeRanges.Katakana, UnicodeRanges.Hiragana);

    private static ReadOnlySpan<byte> Head =>
        "<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>"u8;

    public static void Write(IBufferWriter<byte> page, List<Fortune> fortunes)
    {
        fortunes.Add(new Fortune(0, FortuneData.Added));
        fortunes.Sort(static (left, right) => string.CompareOrdinal(left.Message, right.Message));
        page.Write(Head);
        foreach (var fortune in fortunes)
        {
            page.Write("<tr><td>"u8);
            WriteNumber(page, fortune.Id);
            page.Write("</td><td>"u8);
            Encoding.UTF8.GetBytes(Encoder.Encode(fortune.Message), page);
            page.Write("</td></tr>"u8);
        }
        page.Write("</table></body></html>"u8);
    }

    private static void WriteNumber(IBufferWriter<byte> page, int number)
    {
        number.TryFormat(page.GetSpan(11), out var written);
        page.Advance(written);
    }
}
