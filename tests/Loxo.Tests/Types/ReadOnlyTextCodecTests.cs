using Loxo.Types;

namespace Loxo.Tests.Types;

public class ReadOnlyTextCodecTests
{
    private static readonly ReadOnlyTextCodec AnyArray = new("anyarray", new AnyArrayTextFormatter("anyarray", TypeCatalog.BuiltIn.Find));

    [Test]
    public void It_reads_text() => Assert.That(AnyArray.Read([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 23]), Is.EqualTo("{}"));

    [Test]
    public void It_does_not_write() =>
        Assert.That(() => CodecCheck.Write(writer => AnyArray.Write(writer, "{}")), Throws.TypeOf<PgException>()
            .With.Message.EqualTo("PostgreSQL type anyarray is written in text format only."));

    [Test]
    public void A_type_that_is_the_servers_own_says_what_to_do() =>
        Assert.That(() => CodecCheck.Read<string>("pg_mcv_list", "00"), Throws.TypeOf<PgException>()
            .With.Message.EqualTo("PostgreSQL type pg_mcv_list can be read as text only. Cast it to text in SQL."));
}
