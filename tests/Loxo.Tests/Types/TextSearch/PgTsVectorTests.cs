namespace Loxo.Tests.Types;

public class PgTsVectorTests
{
    // What PostgreSQL 15 makes of the texts on the left.
    [TestCase("", "")]
    [TestCase("  b a  a ", "'a' 'b'")]
    [TestCase("a:1,1A,16384,3B b:5* A:7c", "'A':7C 'a':1A,3B,16383 'b':5A")]
    [TestCase("''''", "''''")]
    [TestCase(@"'\\'", @"'\\'")]
    [TestCase(@"a\'b", "'a''b'")]
    [TestCase("'a'':1'", "'a'':1'")]
    [TestCase("'a'b c", "'a' 'b' 'c'")]
    [TestCase("a&b:3", "'a&b':3")]
    [TestCase(":x:1 :", "':' ':x':1")]
    [TestCase("é:1 z 😀 ｱ", "'z' 'é':1 'ｱ' '😀'")]
    [TestCase("'a fat' cat:2147483647", "'a fat' 'cat':16383")]
    public void It_is_parsed_and_shown_as_the_server_does(string text, string shown)
    {
        Assert.That(PgTsVector.Parse(text).ToString(), Is.EqualTo(shown));
        Assert.That(PgTsVector.Parse(shown), Is.EqualTo(PgTsVector.Parse(text)));
        Assert.That($"{PgTsVector.Parse(text)}", Is.EqualTo(shown));
    }

    [TestCase("''")]
    [TestCase("'':1")]
    [TestCase("'a")]
    [TestCase("a\\")]
    [TestCase("a:")]
    [TestCase("::")]
    [TestCase("a:0")]
    [TestCase("a:1AB")]
    [TestCase("a:1,")]
    [TestCase("a:b")]
    [TestCase("a:1'b'")]
    [TestCase("a:2147483648")]
    [TestCase("a:4294967296")]
    [TestCase("a\u00a0b")]
    public void What_the_server_refuses_is_not_parsed(string text)
    {
        Assert.That(PgTsVector.TryParse(text, null, out var nothing), Is.False);
        Assert.That(nothing, Is.Null);
        Assert.That(() => PgTsVector.Parse(text), Throws.TypeOf<FormatException>().With.Message.Contains("is not a tsvector"));
        Assert.That(PgTsVector.TryParse(null, null, out _), Is.False);
    }

    [Test]
    public void It_is_a_list_of_lexemes()
    {
        var vector = new PgTsVector(
            new PgTsVectorLexeme("fat", new PgTsVectorPosition(2)), new PgTsVectorLexeme("cat", new PgTsVectorPosition(3, PgTsWeight.A)),
            new PgTsVectorLexeme("cat", new PgTsVectorPosition(1), new PgTsVectorPosition(3, PgTsWeight.B)));
        Assert.That((vector.Count, vector[0].Text, vector[1].Text), Is.EqualTo((2, "cat", "fat")));
        Assert.That(vector[0].Positions, Is.EqualTo(new[] { new PgTsVectorPosition(1), new PgTsVectorPosition(3, PgTsWeight.A) }));
        Assert.That(vector.Select(lexeme => lexeme.ToString()), Is.EqualTo(new[] { "'cat':1,3A", "'fat':2" }));
        Assert.That(PgTsVector.Empty, Is.Empty);
    }

    [Test]
    public void Equal_means_the_same_words_places_and_weights()
    {
        var vector = PgTsVector.Parse("a:1 b:2A");
        var same = PgTsVector.Parse("b:2A a:1");
        Assert.That((vector == same, vector.Equals((object)same), vector.GetHashCode() == same.GetHashCode()), Is.EqualTo((true, true, true)));
        foreach (var other in new[] { "a:1 b:2", "a:1 b", "a:1", "a:1 c:2A", "" })
            Assert.That(vector != PgTsVector.Parse(other), Is.True, other);
        PgTsVector? none = null;
        Assert.That((vector == none, none == vector, none == null), Is.EqualTo((false, false, true)));
    }

    [Test]
    public void It_is_formatted_into_a_span_that_is_long_enough()
    {
        Span<char> room = stackalloc char[3];
        Assert.That((PgTsVector.Parse("a").TryFormat(room, out var length), length, room.ToString()), Is.EqualTo((true, 3, "'a'")));
        Assert.That((PgTsVector.Parse("ab").TryFormat(room, out length), length), Is.EqualTo((false, 0)));
        Assert.That(() => PgTsVector.Empty.ToString("x", null), Throws.TypeOf<FormatException>());
    }
}
