namespace Loxo.Tests.Types;

public class PgTsVectorLexemeTests
{
    [Test]
    public void A_lexeme_has_a_word()
    {
        Assert.That(() => new PgTsVectorLexeme(""), Throws.ArgumentException);
        Assert.That(() => new PgTsVectorLexeme(null!), Throws.TypeOf<ArgumentNullException>());
        Assert.That(() => new PgTsVector(default(PgTsVectorLexeme)), Throws.ArgumentException);
        Assert.That((default(PgTsVectorLexeme).Text, default(PgTsVectorLexeme).Positions.Length), Is.EqualTo(("", 0)));
    }

    [Test]
    public void Of_the_places_the_first_256_count()
    {
        var lexeme = new PgTsVectorLexeme("a", Enumerable.Range(1, 300).Reverse().Select(place => new PgTsVectorPosition(place)));
        Assert.That((lexeme.Positions.Length, lexeme.Positions[0].Position, lexeme.Positions[^1].Position), Is.EqualTo((256, 1, 256)));
    }

    [Test]
    public void A_place_is_from_1_to_16383()
    {
        Assert.That((new PgTsVectorPosition(16_384).Position, new PgTsVectorPosition(int.MaxValue, PgTsWeight.A).ToString()), Is.EqualTo((16_383, "16383A")));
        Assert.That((new PgTsVectorPosition(5).Weight, new PgTsVectorPosition(5).ToString()), Is.EqualTo((PgTsWeight.D, "5")));
        Assert.That(() => new PgTsVectorPosition(0), Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(() => new PgTsVectorPosition(1, (PgTsWeight)4), Throws.TypeOf<ArgumentOutOfRangeException>());
    }

    [Test]
    public void Equal_means_the_same_word_places_and_weights()
    {
        var lexeme = new PgTsVectorLexeme("a", new PgTsVectorPosition(1), new PgTsVectorPosition(2));
        var same = new PgTsVectorLexeme("a", new PgTsVectorPosition(2), new PgTsVectorPosition(1));
        Assert.That((lexeme == same, lexeme.Equals((object)same), lexeme.GetHashCode() == same.GetHashCode()), Is.EqualTo((true, true, true)));
        Assert.That(lexeme != new PgTsVectorLexeme("a", new PgTsVectorPosition(1)), Is.True);
        Assert.That(lexeme != new PgTsVectorLexeme("b", lexeme.Positions), Is.True);
    }
}
