using System.Text;
using Loxo.Types;

namespace Loxo.Tests.Types;

public class TsQueryCodecTests
{
    private const string Query = "0000000c02020204000202040001010000660001000065000204000101000064000203010000630001000062000201010c016100";

    [TestCase(Query, "!'a':*AB & ( 'b' | 'c' ) <-> 'd' <2> ( 'e' <-> 'f' )")]
    [TestCase("00000008020301000064000202010000630002040002010c01620002010100006100", "!'a' <2> 'b':*AB & 'c' | 'd'")]
    [TestCase("000000010104006974277300", "'it''s':B")]
    public void A_query_is_a_tree(string hex, string text)
    {
        CodecCheck.BothWays("tsquery", PgTsQuery.Parse(text), hex);
        CodecCheck.BothWays("tsquery", text, hex);
        CodecCheck.OnlyWhole<PgTsQuery>("tsquery", hex);
        Assert.That(CodecCheck.ReadText<PgTsQuery>("tsquery", text), Is.EqualTo(PgTsQuery.Parse(text)));
    }

    [Test]
    public void The_empty_query_is_read_but_not_written()
    {
        Assert.That(CodecCheck.Read<PgTsQuery>("tsquery", "00000000"), Is.EqualTo(PgTsQuery.Empty));
        Assert.That(CodecCheck.Read<string>("tsquery", "00000000"), Is.Empty);
        CodecCheck.OnlyWhole<PgTsQuery>("tsquery", "00000000");
        Assert.That(() => CodecCheck.Write("tsquery", PgTsQuery.Empty), Throws.TypeOf<InvalidCastException>().With.Message.Contains("Write ''::tsquery in the SQL text"));
        Assert.That(() => CodecCheck.Write("tsquery", " "), Throws.TypeOf<InvalidCastException>());
        Assert.That(CodecCheck.ReadText<PgTsQuery>("tsquery", ""), Is.EqualTo(PgTsQuery.Empty));
    }

    [TestCase("000000010209", "an unknown operator")]
    [TestCase("000000010300006100", "an unknown kind of item")]
    [TestCase("000000020201" + "01000061000000", "bytes are left over")]
    [TestCase("0000000301000061000000", "its number of items")]
    [TestCase("0000000101100061" + "00", "a word of it is empty or has unknown weights")]
    [TestCase("00000001010000" + "00", "a word of it is empty or has unknown weights")]
    [TestCase("000000030204ffff0100006100" + "0100006200", "an unknown operator")]
    public void What_no_server_sends_is_refused(string hex, string why) =>
        Assert.That(() => CodecCheck.Read<PgTsQuery>("tsquery", hex), Throws.TypeOf<PgException>().With.Message.Contains(why));

    [Test]
    public void A_hostile_depth_is_refused_instead_of_ending_the_process()
    {
        const int depth = 1_000_000;
        byte[] bytes = [0, 0x0f, 0x42, 0x40, .. Enumerable.Repeat(new byte[] { 2, 1 }, depth).SelectMany(negation => negation)];
        Assert.That(() => CodecCheck.Codec<PgTsQuery>("tsquery").Read(bytes), Throws.TypeOf<PgException>().With.Message.Contains("nested too deeply"));
        Assert.That(() => CodecCheck.Codec<string>("tsquery").Read(bytes), Throws.TypeOf<PgException>().With.Message.Contains("nested too deeply"));
        Assert.That(PgTsQuery.TryParse(new string('!', depth) + "a", null, out _), Is.False);
        Assert.That(PgTsQuery.TryParse(new string('(', depth) + "a", null, out _), Is.False);
    }

    [Test]
    public void A_long_list_of_words_is_not_deep()
    {
        var text = new StringBuilder("'w0'");
        for (var i = 1; i < 100_000; i++)
            text.Append(" | 'w").Append(i).Append('\'');
        var query = PgTsQuery.Parse(text.ToString());
        var again = CodecCheck.Read<PgTsQuery>("tsquery", CodecCheck.Write("tsquery", query));
        Assert.That((again == query, again.GetHashCode() == query.GetHashCode(), again.ToString() == text.ToString()), Is.EqualTo((true, true, true)));
    }

    [Test]
    public void Random_bytes_are_read_or_refused()
    {
        var count = 0;
        var random = new Random(5);
        for (var i = 0; i < 50_000; i++)
        {
            var bytes = new byte[random.Next(4, 40)];
            for (var at = 3; at < bytes.Length; at++)
                bytes[at] = (byte)random.Next(5);
            try
            {
                var read = CodecCheck.Codec<PgTsQuery>("tsquery").Read(bytes);
                Assert.That(PgTsQuery.Parse(read.ToString()).ToString(), Is.EqualTo(read.ToString()));
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
    public void Its_NET_types_stand_for_it()
    {
        Assert.That(TypeCatalog.BuiltIn.Infer(PgTsQuery.Empty)!.Name, Is.EqualTo("tsquery"));
        Assert.That(TypeCatalog.BuiltIn.Infer(new PgTsQueryLexeme("a"))!.Name, Is.EqualTo("tsquery"));
        Assert.That(CodecCheck.Type("tsquery").CodecForValue(new PgTsQueryLexeme("a"))!.ValueType, Is.EqualTo(typeof(PgTsQuery)));
        Assert.That(CodecCheck.Type("tsquery").Default!.ValueType, Is.EqualTo(typeof(PgTsQuery)));
    }
}
