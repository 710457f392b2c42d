using Loxo.Types;

namespace Loxo.Tests.Types;

public class TsQueryParserTests
{
    [TestCase("a | b & c <-> !d", "a | (b & (c <-> (!d)))")]
    [TestCase("a & b & c", "(a & b) & c")]
    [TestCase("a <2> b <3> c", "(a <2> b) <3> c")]
    [TestCase("!a <-> b", "(!a) <-> b")]
    public void Operators_bind_as_for_the_server(string text, string withParentheses) =>
        Assert.That(TsQueryParser.Parse(text), Is.EqualTo(TsQueryParser.Parse(withParentheses)).And.Not.Null);

    [Test]
    public void No_prefix_of_a_query_ends_in_anything_but_an_answer()
    {
        const string query = "!a:*AB & ( 'b''c' | \\c ) <-> d <2> ( e <-> 'f' )";
        for (var length = 0; length < query.Length; length++)
            Assert.That(() => TsQueryParser.Parse(query.AsSpan(0, length)), Throws.Nothing);
        Assert.That(TsQueryParser.Parse(query), Is.Not.Null);
    }
}
