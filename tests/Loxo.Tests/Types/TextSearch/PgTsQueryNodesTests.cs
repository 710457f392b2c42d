namespace Loxo.Tests.Types;

public class PgTsQueryNodesTests
{
    private static readonly PgTsQuery A = new PgTsQueryLexeme("a");

    [Test]
    public void A_parsed_query_can_be_taken_apart()
    {
        var and = (PgTsQueryAnd)PgTsQuery.Parse("!cat:*AB & (dog <2> rat | mouse)");
        var cat = (PgTsQueryLexeme)((PgTsQueryNot)and.Left).Operand;
        Assert.That((cat.Text, cat.Weights, cat.IsPrefix), Is.EqualTo(("cat", PgTsWeights.A | PgTsWeights.B, true)));
        var or = (PgTsQueryOr)and.Right;
        var phrase = (PgTsQueryFollowedBy)or.Left;
        Assert.That((phrase.Distance, ((PgTsQueryLexeme)phrase.Right).Text, ((PgTsQueryLexeme)or.Right).Text), Is.EqualTo((2, "rat", "mouse")));
        Assert.That(PgTsQuery.Parse(""), Is.TypeOf<PgTsQueryEmpty>());
    }

    [Test]
    public void What_the_server_would_not_take_is_refused()
    {
        Assert.That(() => new PgTsQueryLexeme(""), Throws.ArgumentException);
        Assert.That(() => new PgTsQueryLexeme("a", (PgTsWeights)16), Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(() => new PgTsQueryNot(PgTsQuery.Empty), Throws.ArgumentException);
        Assert.That(() => new PgTsQueryNot(null!), Throws.TypeOf<ArgumentNullException>());
        Assert.That(() => new PgTsQueryAnd(A, PgTsQuery.Empty), Throws.ArgumentException);
        Assert.That(() => new PgTsQueryOr(PgTsQuery.Empty, A), Throws.ArgumentException);
        Assert.That(() => new PgTsQueryFollowedBy(A, A, -1), Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(() => new PgTsQueryFollowedBy(A, A, 16_385), Throws.TypeOf<ArgumentOutOfRangeException>());
    }
}
