using Loxo.Types;

namespace Loxo.Tests.Types;

public class TextQuotingTests
{
    private const string Special = "\"\\, ";

    [TestCase("plain", "plain")]
    [TestCase("", "\"\"")]
    [TestCase("a b", "\"a b\"")]
    [TestCase("a\"b\\c", "\"a\"\"b\\\\c\"")]
    [TestCase("NULL", "NULL")]
    public void Ranges_and_records_double(string text, string quoted) => Assert.That(TextQuoting.Doubling(text, Special), Is.EqualTo(quoted));

    [TestCase("plain", "plain")]
    [TestCase("", "\"\"")]
    [TestCase("a\"b\\c", "\"a\\\"b\\\\c\"")]
    [TestCase("Null", "\"Null\"")]
    public void Arrays_escape(string text, string quoted) => Assert.That(TextQuoting.Escaping(text, Special), Is.EqualTo(quoted));
}
