using Loxo.Types;

namespace Loxo.Tests.Types;

public class TsVectorCodecTests
{
    [TestCase("0000000361000002c00100026263000001000369742773000000", "'a':1A,2 'bc':3 'it''s'")]
    [TestCase("00000000", "")]
    [TestCase("00000001625c63000000", @"'b\\c'")]
    [TestCase("00000001f09f98800000017fff", "'😀':16383C")]
    public void A_document_is_its_lexemes_with_places_and_weights(string hex, string text)
    {
        CodecCheck.BothWays("tsvector", PgTsVector.Parse(text), hex);
        CodecCheck.BothWays("tsvector", text, hex);
        CodecCheck.OnlyWhole<PgTsVector>("tsvector", hex);
        Assert.That(CodecCheck.ReadText<PgTsVector>("tsvector", text), Is.EqualTo(PgTsVector.Parse(text)));
    }

    [Test]
    public void A_count_that_the_bytes_cannot_hold_is_refused_before_anything_is_allocated()
    {
        Assert.That(() => CodecCheck.Read<PgTsVector>("tsvector", "7fffffff610000"), Throws.TypeOf<PgException>().With.Message.Contains("more parts than it has bytes for"));
        Assert.That(() => CodecCheck.Read<PgTsVector>("tsvector", "ffffffff"), Throws.TypeOf<PgException>());
        Assert.That(() => CodecCheck.Read<PgTsVector>("tsvector", "000000016100ffff0001"), Throws.TypeOf<PgException>().With.Message.Contains("too early"));
    }

    [Test]
    public void Random_bytes_are_read_or_refused()
    {
        var count = 0;
        var random = new Random(3);
        for (var i = 0; i < 20_000; i++)
        {
            var bytes = new byte[random.Next(40)];
            random.NextBytes(bytes);
            bytes.AsSpan(0, Math.Min(3, bytes.Length)).Clear();
            try
            {
                var read = CodecCheck.Codec<PgTsVector>("tsvector").Read(bytes);
                Assert.That(PgTsVector.Parse(read.ToString()).ToString(), Is.EqualTo(read.ToString()));
                count++;
            }
            catch (PgException refused)
            {
                Assert.That(refused.Code, Is.EqualTo(PgErrorCode.ConversionFailed));
            }
        }
        Assert.That(count, Is.GreaterThan(0), "some are values");
    }

    [Test]
    public void What_UTF_8_cannot_hold_is_not_written()
    {
        Assert.That(() => CodecCheck.Write("tsvector", new PgTsVector(new PgTsVectorLexeme("a\0b"))), Throws.TypeOf<PgException>());
        Assert.That(() => CodecCheck.Write("tsvector", new PgTsVector(new PgTsVectorLexeme("\ud800"))), Throws.TypeOf<PgException>());
    }

    [Test]
    public void Its_NET_type_stands_for_it()
    {
        Assert.That(TypeCatalog.BuiltIn.Infer(PgTsVector.Empty)!.Name, Is.EqualTo("tsvector"));
        Assert.That(CodecCheck.Type("tsvector").Default!.ValueType, Is.EqualTo(typeof(PgTsVector)));
    }
}
