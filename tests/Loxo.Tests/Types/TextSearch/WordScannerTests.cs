using Loxo.Types;

namespace Loxo.Tests.Types;

public class WordScannerTests
{
    [TestCase("cat&dog", true, "cat", "&dog")]
    [TestCase("cat&dog", false, "cat&dog", "")]
    [TestCase("cat:1", false, "cat", ":1")]
    [TestCase("cat dog", false, "cat", " dog")]
    [TestCase(@"c\:t\ x:", true, "c:t x", ":")]
    [TestCase("'a ''fat'' \\'cat'&", true, "a 'fat' 'cat", "&")]
    [TestCase("it's", true, "it's", "")]
    public void A_word_ends_where_it_does_for_the_server(string text, bool hasOperators, string word, string rest)
    {
        var scanner = new WordScanner(text, hasOperators);
        Assert.That(scanner.TakeWord(), Is.EqualTo(word));
        var left = "";
        for (; !scanner.IsAtEnd; scanner.Skip(1))
            left += scanner.Next;
        Assert.That(left, Is.EqualTo(rest));
    }

    [TestCase("")]
    [TestCase("''")]
    [TestCase("'a")]
    [TestCase(@"a\")]
    [TestCase(@"'a\")]
    public void A_word_that_does_not_end_is_none(string text) => Assert.That(new WordScanner(text, hasOperators: true).TakeWord(), Is.Null);

    [Test]
    public void A_number_larger_than_an_int_is_none()
    {
        var scanner = new WordScanner("2147483647x", hasOperators: false);
        Assert.That((scanner.TryTakeNumber(out var number), number, scanner.Next), Is.EqualTo((true, int.MaxValue, 'x')));
        Assert.That((scanner.TryTakeNumber(out _), scanner.TryTake('x'), scanner.IsAtEnd, scanner.TryTake('\0')), Is.EqualTo((false, true, true, false)));
        Assert.That(new WordScanner("2147483648", hasOperators: false).TryTakeNumber(out _), Is.False);
    }

    // In some of the server's locales they separate words, in others they are part of them.
    [TestCase("a\u00a0b")]
    [TestCase("\u2003a")]
    [TestCase("a\u0085")]
    public void White_space_beyond_ASCII_has_to_be_quoted(string text)
    {
        Assert.That(new WordScanner(text, hasOperators: false).TakeWord(), Is.Null);
        Assert.That(new WordScanner($"'{text}'", hasOperators: false).TakeWord(), Is.EqualTo(text));
    }

    [TestCase(2046, true)]
    [TestCase(2047, false)]
    public void A_word_is_as_long_as_the_server_takes_it(int bytes, bool isTaken)
    {
        var word = new string('ä', bytes / 2) + new string('a', bytes % 2);
        Assert.That(new WordScanner(word, hasOperators: false).TakeWord(), isTaken ? Is.EqualTo(word) : Is.Null);
    }

    [Test]
    public void What_no_text_of_the_server_has_is_no_word()
    {
        Assert.That(new WordScanner("a\0b", hasOperators: false).TakeWord(), Is.Null);
        Assert.That(new WordScanner("a\ud800", hasOperators: false).TakeWord(), Is.Null);
    }
}
