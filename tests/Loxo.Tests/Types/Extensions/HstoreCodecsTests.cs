using System.Collections.Immutable;
using Loxo.Types;

namespace Loxo.Tests.Types;

public class HstoreCodecsTests
{
    // hstore_send('a=>1, b=>NULL, ""=>"", "k€y"=>"a\"b\\c"') of PostgreSQL 15.
    private const string Hex = "000000040000000000000000000000016100000001310000000162ffffffff000000056be282ac79000000056122625c63";

    private static readonly Dictionary<string, string?> Pairs = new() { [""] = "", ["a"] = "1", ["b"] = null, ["k€y"] = "a\"b\\c" };

    [Test]
    public void Pairs_are_read_as_every_kind_of_dictionary()
    {
        var bytes = Convert.FromHexString(Hex);
        Assert.That(new HstoreCodec().Read(bytes), Is.EqualTo(Pairs));
        Assert.That(new HstoreInterfaceCodec().Read(bytes), Is.EqualTo(Pairs));
        Assert.That(new HstoreImmutableCodec().Read(bytes), Is.EquivalentTo(Pairs));
        Assert.That(new HstoreCodec().Read([0, 0, 0, 0]), Is.Empty);
    }

    [Test]
    public void Pairs_are_written_from_every_kind_of_dictionary()
    {
        Assert.That(CodecCheck.Write(writer => new HstoreCodec().Write(writer, Pairs)), Is.EqualTo(Hex));
        Assert.That(CodecCheck.Write(writer => new HstoreInterfaceCodec().Write(writer, new SortedDictionary<string, string?>(Pairs, StringComparer.Ordinal))), Is.EqualTo(Hex));
        var written = CodecCheck.Write(writer => new HstoreImmutableCodec().Write(writer, Pairs.ToImmutableDictionary()));
        Assert.That(new HstoreCodec().Read(Convert.FromHexString(written)), Is.EquivalentTo(Pairs));
    }

    [Test]
    public void What_is_cut_off_is_refused()
    {
        var bytes = Convert.FromHexString(Hex);
        for (var length = 0; length < bytes.Length; length++)
            Assert.That(() => new HstoreCodec().Read(bytes.AsSpan(0, length)), Throws.TypeOf<PgException>(), $"{length} bytes");
        Assert.That(() => new HstoreCodec().Read([.. bytes, 0]), Throws.TypeOf<PgException>().With.Message.Contains("left over"));
    }

    [TestCase("7fffffff0000000000000000", "more parts than it has bytes for")]
    [TestCase("ffffffff", "more parts than it has bytes for")]
    [TestCase("00000001ffffffff00000000", "a key of it is NULL")]
    [TestCase("00000001fffffffe00000000", "too early")]
    [TestCase("00000001000000007fffffff", "too early")]
    public void What_no_server_sends_is_refused(string hex, string why)
    {
        Assert.That(() => new HstoreCodec().Read(Convert.FromHexString(hex)), Throws.TypeOf<PgException>().With.Message.Contains(why));
        Assert.That(() => new HstoreImmutableCodec().Read(Convert.FromHexString(hex)), Throws.TypeOf<PgException>().With.Message.Contains(why));
    }
}
