namespace Loxo.Tests.Types;

public class PgTidTests
{
    [TestCase("(0,1)")]
    [TestCase("(4294967295,65535)")]
    public void Its_text_is_read_back(string text)
    {
        Assert.That(PgTid.Parse(text).ToString(), Is.EqualTo(text));
        Assert.That(PgTid.Parse(text.AsSpan()), Is.EqualTo(PgTid.Parse(text)));
    }

    [TestCase("")]
    [TestCase("()")]
    [TestCase(",}")]
    [TestCase(")")]
    [TestCase("(")]
    [TestCase("(1)")]
    [TestCase("(1,2")]
    [TestCase("1,2)")]
    [TestCase("(1,65536)")]
    [TestCase("(4294967296,1)")]
    [TestCase("(-1,1)")]
    [TestCase("(1,2,3)")]
    public void Other_text_is_refused(string text)
    {
        Assert.That(PgTid.TryParse(text, null, out var none), Is.False);
        Assert.That(none, Is.EqualTo(default(PgTid)));
        Assert.That(() => PgTid.Parse(text), Throws.TypeOf<FormatException>().With.Message.Contains("PgTid"));
        Assert.That(() => PgTid.Parse(text.AsSpan()), Throws.TypeOf<FormatException>());
    }

    [Test]
    public void It_is_a_block_and_a_place_in_it()
    {
        var tid = PgTid.Parse("(7,8)");
        Assert.That((tid.BlockNumber, tid.OffsetNumber), Is.EqualTo((7u, (ushort)8)));
        Assert.That(tid, Is.EqualTo(new PgTid(7, 8)).And.Not.EqualTo(new PgTid(8, 7)));
    }
}
