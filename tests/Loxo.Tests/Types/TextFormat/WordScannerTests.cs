using Loxo.Types.TextFormat;

namespace Loxo.Tests.Types.TextFormat;

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
        Assert.That((scanner.TakeWord(), scanner.Rest.ToString()), Is.EqualTo((word, rest)));
    }

    [TestCase("")]
    [TestCase("''")]
    [TestCase("'a")]
    [TestCase(@"a\")]
    [TestCase(@"'a\")]
    public void A_word_that_does_not_end_is_none(string text) => Assert.That(new WordScanner(text, hasOperators: true).TakeWord(), Is.Null);

    [Test]
    public void A_number_is_cut_off_at_the_most()
    {
        var scanner = new WordScanner("12345678901234567890x", hasOperators: false);
        Assert.That((scanner.TryTakeNumber(100, out var number), number, scanner.Next), Is.EqualTo((true, 100, 'x')));
        Assert.That((scanner.TryTakeNumber(100, out number), scanner.TryTake('x'), scanner.IsAtEnd, scanner.TryTake('\0')), Is.EqualTo((false, true, true, false)));
    }
}
