using Loxo.Types;

namespace Loxo.Tests.Types;

public class TsVectorParserTests
{
    [Test]
    public void Lexemes_are_taken_as_they_stand_there() =>
        Assert.That(TsVectorParser.Parse(" b:2 'a c':1d,3* b ")!.Select(lexeme => lexeme.ToString()), Is.EqualTo(new[] { "'b':2", "'a c':1,3A", "'b'" }));

    [TestCase("a:1 b:")]
    [TestCase("a:1,,2")]
    [TestCase("a:-1")]
    public void What_is_no_tsvector_is_none(string text) => Assert.That(TsVectorParser.Parse(text), Is.Null);
}
