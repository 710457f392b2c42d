namespace Loxo.Tests.Types.TextFormat;

public class GeometricRenderingsTests
{
    [TestCase("point", "3ff8000000000000c000000000000000", "(1.5,-2)")]
    [TestCase("line", "3ff000000000000040000000000000004008000000000000", "{1,2,3}")]
    [TestCase("lseg", "3ff0000000000000400000000000000040080000000000004010000000000000", "[(1,2),(3,4)]")]
    [TestCase("box", "400800000000000040100000000000003ff00000000000004000000000000000", "(3,4),(1,2)")]
    [TestCase("path", "01000000023ff0000000000000400000000000000040080000000000004010000000000000", "((1,2),(3,4))")]
    [TestCase("path", "00000000023ff0000000000000400000000000000040080000000000004010000000000000", "[(1,2),(3,4)]")]
    [TestCase("polygon", "000000033ff000000000000040000000000000004008000000000000401000000000000040140000000000004018000000000000", "((1,2),(3,4),(5,6))")]
    [TestCase("circle", "3ff000000000000040000000000000004415af1d78b58c40", "<(1,2),1e+20>")]
    public void A_shape_is_its_numbers(string type, string hex, string text)
    {
        Assert.That(CodecCheck.Read<string>(type, hex), Is.EqualTo(text));
        CodecCheck.OnlyWhole<string>(type, hex);
    }

    [TestCase("007fffffff")]
    [TestCase("00ffffffff")]
    public void A_hostile_number_of_points_is_refused(string hex) => Assert.That(() => CodecCheck.Read<string>("path", hex), Throws.TypeOf<PgException>());
}
