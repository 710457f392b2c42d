namespace Loxo.Tests.Types.TextFormat;

public class TextSearchRenderingsTests
{
    private const string Query = "0000000c02020204000202040001010000660001000065000204000101000064000203010000630001000062000201010c016100";

    [TestCase("0000000361000002c00100026263000001000369742773000000", "'a':1A,2 'bc':3 'it''s'")]
    [TestCase("00000000", "")]
    [TestCase("00000001625c63000000", @"'b\\c'")]
    public void A_document_is_its_lexemes_with_places_and_weights(string hex, string text)
    {
        Assert.That(CodecCheck.Read<string>("tsvector", hex), Is.EqualTo(text));
        CodecCheck.OnlyWhole<string>("tsvector", hex);
    }

    [TestCase(Query, "!'a':*AB & ( 'b' | 'c' ) <-> 'd' <2> ( 'e' <-> 'f' )")]
    [TestCase("000000010104006974277300", "'it''s':B")]
    [TestCase("00000000", "")]
    public void A_query_is_a_tree_with_parentheses_where_they_matter(string hex, string text)
    {
        Assert.That(CodecCheck.Read<string>("tsquery", hex), Is.EqualTo(text));
        CodecCheck.OnlyWhole<string>("tsquery", hex);
    }

    [Test]
    public void An_unknown_operator_is_refused() => Assert.That(() => CodecCheck.Read<string>("tsquery", "000000020209"), Throws.TypeOf<PgException>());

    [Test]
    public void A_hostile_depth_is_refused_instead_of_ending_the_process()
    {
        const int depth = 1_000_000;
        byte[] bytes = [0, 0x0f, 0x42, 0x40, .. Enumerable.Repeat(new byte[] { 2, 1 }, depth).SelectMany(negation => negation)];
        Assert.That(() => CodecCheck.Codec<string>("tsquery").Read(bytes), Throws.TypeOf<PgException>().With.Message.Contains("nested too deeply"));
    }
}
