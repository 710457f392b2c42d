using Loxo.Types;

namespace Loxo.Tests.Types;

public class CubeCodecTests
{
    private static readonly CubeCodec Codec = new();

    // cube_send of PostgreSQL 15.
    [TestCase("800000023ff00000000000004000000000000000", "(1, 2)")]
    [TestCase("000000023ff0000000000000400000000000000040080000000000004010000000000000", "(1, 2),(3, 4)")]
    [TestCase("000000013ff00000000000003fe0000000000000", "(1),(0.5)")]
    [TestCase("80000000", "()")]
    public void A_cube_is_its_corners(string hex, string text)
    {
        var bytes = Convert.FromHexString(hex);
        Assert.That(Codec.Read(bytes), Is.EqualTo(PgCube.Parse(text)));
        Assert.That(CodecCheck.Write(writer => Codec.Write(writer, PgCube.Parse(text))), Is.EqualTo(hex));
        for (var length = 0; length < bytes.Length; length++)
            Assert.That(() => Codec.Read(bytes.AsSpan(0, length)), Throws.TypeOf<PgException>(), $"{length} bytes");
        Assert.That(() => Codec.Read([.. bytes, 0]), Throws.TypeOf<PgException>());
    }

    [TestCase("ffffffff")]
    [TestCase("7fffffff")]
    [TestCase("00000065")]
    public void More_dimensions_than_the_server_takes_are_refused(string hex) =>
        Assert.That(() => Codec.Read(Convert.FromHexString(hex)), Throws.TypeOf<PgException>().With.Message.Contains("dimensions"));

    [Test]
    public void The_default_value_is_written_too() => Assert.That(CodecCheck.Write(writer => Codec.Write(writer, default)), Is.EqualTo("80000000"));
}
