using Loxo.Types.TextFormat;

namespace Loxo.Tests.Types.TextFormat;

public class TsQueryFormTests
{
    [TestCase("", "00000000")]
    [TestCase("!'a' <2> 'b':*AB & 'c' | 'd'", "00000008020301000064000202010000630002040002010c01620002010100006100")]
    public void A_query_is_words_and_operators(string text, string hex) => FormCheck.BothWays(new TsQueryForm(), text, hex);

    [Test]
    public void What_is_no_query_is_refused() => FormCheck.Refuses(new TsQueryForm(), "a b");
}
