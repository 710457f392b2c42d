namespace Loxo.Tests.Types;

public class PgTsQueryTests
{
    // What PostgreSQL 15 makes of the texts on the left.
    [TestCase("", "")]
    [TestCase("  ", "")]
    [TestCase("fat & rat", "'fat' & 'rat'")]
    [TestCase(" 'it''s':ab* | !x", "'it''s':*AB | !'x'")]
    [TestCase("a<->b<3>c", "'a' <-> 'b' <3> 'c'")]
    [TestCase(@"a\&b", "'a&b'")]
    [TestCase("!!a & !(b|c)", "!!'a' & !( 'b' | 'c' )")]
    [TestCase("a <-> (b <-> c)", "'a' <-> ( 'b' <-> 'c' )")]
    [TestCase("!a <-> b", "!'a' <-> 'b'")]
    [TestCase("!(a <-> b)", "!( 'a' <-> 'b' )")]
    [TestCase("(a | b) <-> (c & d)", "( 'a' | 'b' ) <-> ( 'c' & 'd' )")]
    [TestCase("a & (b & c)", "'a' & 'b' & 'c'")]
    [TestCase("a<0>b", "'a' <0> 'b'")]
    [TestCase("a<16384>b", "'a' <16384> 'b'")]
    [TestCase("a:bC*D & b:*", "'a':*BCD & 'b':*")]
    [TestCase("a:", "'a'")]
    [TestCase("a'b & c", "'a''b' & 'c'")]
    [TestCase("!a:b", "!'a':B")]
    [TestCase("(a <-> b) <-> c", "'a' <-> 'b' <-> 'c'")]
    [TestCase("a <-> !(b & c)", "'a' <-> !( 'b' & 'c' )")]
    [TestCase("!(a & b) & (!c)", "!( 'a' & 'b' ) & !'c'")]
    [TestCase("a>b", "'a>b'")]
    public void It_is_parsed_and_shown_as_the_server_does(string text, string shown)
    {
        Assert.That(PgTsQuery.Parse(text).ToString(), Is.EqualTo(shown));
        Assert.That(PgTsQuery.Parse(shown).ToString(), Is.EqualTo(shown));
        Assert.That($"{PgTsQuery.Parse(text)}", Is.EqualTo(shown));
    }

    [TestCase("a b")]
    [TestCase("a:xyz")]
    [TestCase("a<16385>b")]
    [TestCase("a<99999999999999999999>b")]
    [TestCase("a<-1>b")]
    [TestCase("(a")]
    [TestCase("a)")]
    [TestCase("!")]
    [TestCase("()")]
    [TestCase("'a' 'b'")]
    [TestCase("a < 2 > b")]
    [TestCase("a:b:c")]
    [TestCase("''")]
    [TestCase("a<b")]
    [TestCase("a &")]
    [TestCase("& a")]
    [TestCase(":a")]
    [TestCase("'a")]
    public void What_the_server_refuses_is_not_parsed(string text)
    {
        Assert.That(PgTsQuery.TryParse(text, null, out var nothing), Is.False);
        Assert.That(nothing, Is.Null);
        Assert.That(() => PgTsQuery.Parse(text), Throws.TypeOf<FormatException>().With.Message.Contains("is not a tsquery"));
        Assert.That(PgTsQuery.TryParse(null, null, out _), Is.False);
    }

    [Test]
    public void Queries_are_put_together_by_operators()
    {
        PgTsQuery cat = new PgTsQueryLexeme("cat");
        PgTsQuery dog = new PgTsQueryLexeme("dog", PgTsWeights.A | PgTsWeights.C, isPrefix: true);
        Assert.That((!(cat | dog) & cat).ToString(), Is.EqualTo("!( 'cat' | 'dog':*AC ) & 'cat'"));
        Assert.That((cat & PgTsQuery.Empty, PgTsQuery.Empty | dog, !PgTsQuery.Empty), Is.EqualTo((cat, dog, PgTsQuery.Empty)));
    }

    [Test]
    public void Equal_means_the_same_tree()
    {
        var query = PgTsQuery.Parse("!a:*A & (b <2> c | d)");
        var same = PgTsQuery.Parse("!'a':a* & ( 'b'<2>'c'|d )");
        Assert.That((query == same, query.Equals((object)same), query.GetHashCode() == same.GetHashCode()), Is.EqualTo((true, true, true)));
        foreach (var other in new[] { "!a:*A & (b <3> c | d)", "!a:A & (b <2> c | d)", "!a:*B & (b <2> c | d)", "!a:*A | (b <2> c | d)", "a:*A & (b <2> c | d)", "!a:*A & (b <2> c | e)", "" })
            Assert.That(query != PgTsQuery.Parse(other), Is.True, other);
        PgTsQuery? none = null;
        Assert.That((query == none, none == query, none == null, query.Equals("a")), Is.EqualTo((false, false, true, false)));
        Assert.That(PgTsQuery.Parse("a & (b & c)"), Is.Not.EqualTo(PgTsQuery.Parse("a & b & c")));
    }

    [Test]
    public void It_is_formatted_into_a_span_that_is_long_enough()
    {
        Span<char> room = stackalloc char[3];
        Assert.That((PgTsQuery.Parse("a").TryFormat(room, out var length), length, room.ToString()), Is.EqualTo((true, 3, "'a'")));
        Assert.That((PgTsQuery.Parse("ab").TryFormat(room, out length), length), Is.EqualTo((false, 0)));
        Assert.That(() => PgTsQuery.Empty.ToString("x", null), Throws.TypeOf<FormatException>());
    }
}
