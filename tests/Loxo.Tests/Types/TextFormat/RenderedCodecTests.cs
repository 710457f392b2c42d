using Loxo.Types.TextFormat;

namespace Loxo.Tests.Types.TextFormat;

public class RenderedCodecTests
{
    private static readonly RenderedCodec Bits = new("bit", new BitRendering("bit"));

    [Test]
    public void It_reads_text() => Assert.That(Bits.Read([0, 0, 0, 1, 0x80]), Is.EqualTo("1"));

    [Test]
    public void It_does_not_write() =>
        Assert.That(() => CodecCheck.Write(writer => Bits.Write(writer, "1")), Throws.TypeOf<PgException>()
            .With.Message.EqualTo("PostgreSQL type bit is written in text format only."));

    [Test]
    public void A_type_that_is_the_servers_own_says_what_to_do() =>
        Assert.That(() => CodecCheck.Read<string>("pg_mcv_list", "00"), Throws.TypeOf<PgException>()
            .With.Message.EqualTo("PostgreSQL type pg_mcv_list can be read as text only. Cast it to text in SQL."));
}
