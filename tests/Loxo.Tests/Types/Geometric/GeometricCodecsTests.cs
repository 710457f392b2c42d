namespace Loxo.Tests.Types;

public class GeometricCodecsTests
{
    [TestCase("3ff8000000000000c000000000000000", "(1.5,-2)")]
    public void A_point_is_two_numbers(string hex, string text) => Check<PgPoint>("point", hex, text);

    [TestCase("3ff000000000000040000000000000004008000000000000", "{1,2,3}")]
    public void A_line_is_three_numbers(string hex, string text) => Check<PgLine>("line", hex, text);

    [TestCase("3ff0000000000000400000000000000040080000000000004010000000000000", "[(1,2),(3,4)]")]
    public void A_line_segment_is_two_points(string hex, string text) => Check<PgLSeg>("lseg", hex, text);

    [TestCase("400800000000000040100000000000003ff00000000000004000000000000000", "(3,4),(1,2)")]
    public void A_box_is_two_corners(string hex, string text) => Check<PgBox>("box", hex, text);

    [TestCase("01000000023ff0000000000000400000000000000040080000000000004010000000000000", "((1,2),(3,4))")]
    [TestCase("00000000023ff0000000000000400000000000000040080000000000004010000000000000", "[(1,2),(3,4)]")]
    public void A_path_is_points_and_whether_it_is_closed(string hex, string text) => Check<PgPath>("path", hex, text);

    [TestCase("000000033ff000000000000040000000000000004008000000000000401000000000000040140000000000004018000000000000", "((1,2),(3,4),(5,6))")]
    public void A_polygon_is_points(string hex, string text) => Check<PgPolygon>("polygon", hex, text);

    [TestCase("3ff000000000000040000000000000004415af1d78b58c40", "<(1,2),1e+20>")]
    public void A_circle_is_a_point_and_a_radius(string hex, string text) => Check<PgCircle>("circle", hex, text);

    [TestCase("007fffffff")]
    [TestCase("00ffffffff")]
    [TestCase("00000000023ff000000000000040000000000000004008000000000000")]
    public void A_number_of_points_that_the_bytes_cannot_hold_is_refused(string hex)
    {
        Assert.That(() => CodecCheck.Read<PgPath>("path", hex), Throws.TypeOf<PgException>());
        Assert.That(() => CodecCheck.Read<PgPolygon>("polygon", hex[2..]), Throws.TypeOf<PgException>());
    }

    [Test]
    public void A_path_or_polygon_without_points_is_refused_before_the_server_does_it()
    {
        Assert.That(() => CodecCheck.Write("path", default(PgPath)), Throws.TypeOf<InvalidCastException>()
            .With.Message.EqualTo("A path without points cannot become PostgreSQL type path, which has one at least. Write NULL."));
        Assert.That(() => CodecCheck.Write("polygon", new PgPolygon([])), Throws.TypeOf<InvalidCastException>());
    }

    private static void Check<T>(string type, string hex, string text)
        where T : ISpanParsable<T>
    {
        CodecCheck.BothWays(type, T.Parse(text, null), hex);
        CodecCheck.BothWays(type, text, hex);
        CodecCheck.OnlyWhole<T>(type, hex);
        Assert.That(CodecCheck.ReadText<T>(type, text), Is.EqualTo(T.Parse(text, null)));
    }
}
