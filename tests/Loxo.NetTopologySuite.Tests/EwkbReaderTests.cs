using NetTopologySuite;
using NetTopologySuite.Geometries;
using NetTopologySuite.Geometries.Implementation;

namespace Loxo.NetTopologySuite.Tests;

public class EwkbReaderTests
{
    private static IEnumerable<string> Texts => Golden.Samples.Keys;

    [TestCaseSource(nameof(Texts))]
    public void What_PostGIS_sends_is_read(string text)
    {
        var geometry = Read(Golden.Samples[text]);
        Assert.That(Golden.Text(geometry), Is.EqualTo(text));
        Assert.That(geometry.SRID, Is.EqualTo(Golden.Geometry(text).SRID));
    }

    [Test]
    public void Big_endian_is_read_too() => Assert.That(Golden.Text(Read("0020000001000010e63ff00000000000004000000000000000")), Is.EqualTo("SRID=4326;POINT (1 2)"));

    [Test]
    public void The_members_of_a_geometry_have_its_reference_system()
    {
        var collection = (GeometryCollection)Read(Golden.Samples.First(sample => sample.Key.StartsWith("SRID=4326;GEOM")).Value);
        Assert.That(collection.Geometries.Select(member => member.SRID), Is.All.EqualTo(4326));
    }

    [TestCaseSource(nameof(Texts))]
    public void Only_a_whole_geometry_is_read(string text)
    {
        var bytes = Convert.FromHexString(Golden.Samples[text]);
        for (var length = 0; length < bytes.Length; length++)
            Assert.That(() => new EwkbReader(Golden.Format, bytes.AsSpan(0, length)).Read(), Throws.TypeOf<FormatException>(), $"{length} bytes");
        Assert.That(() => new EwkbReader(Golden.Format, [.. bytes, 0]).Read(), Throws.TypeOf<FormatException>().With.Message.Contains("left"));
    }

    [TestCase("0102000000ffffff7f", "claims 2147483647")]
    [TestCase("0102000000ffffffff", "claims 4294967295")]
    [TestCase("0107000000ffffffff0101000000", "claims 4294967295")]
    [TestCase("010300000001000000ffffff0f", "claims 268435455")]
    [TestCase("0201000000", "byte order is 2")]
    [TestCase("0163000000", "kind is 99")]
    [TestCase("010400000001000000010200000000000000", "is not a Point")]
    [TestCase("01020000000100000000000000000000000000000000000000", "allows")]
    [TestCase("0103000000010000000200000000000000000000000000000000000000000000000000f03f000000000000f03f", "allows")]
    public void What_is_no_geometry_is_refused(string hex, string why) => Assert.That(() => Read(hex), Throws.TypeOf<FormatException>().With.Message.Contains(why));

    [TestCase("01080000000300000000000000000000000000000000000000000000000000f03f000000000000f03f00000000000000400000000000000000", "ST_CurveToLine")]
    [TestCase("010f00000000000000", "ST_AsText")]
    public void What_NetTopologySuite_has_no_class_for_is_refused_with_a_way_out(string hex, string remedy) =>
        Assert.That(() => Read(hex), Throws.TypeOf<InvalidCastException>().With.Message.Contains(remedy));

    [Test]
    public void Collections_in_collections_have_an_end()
    {
        static string Nested(int levels) => string.Concat(Enumerable.Repeat("010700000001000000", levels)) + "010700000000000000";
        Assert.That(Read(Nested(200)).NumGeometries, Is.EqualTo(1));
        Assert.That(() => Read(Nested(201)), Throws.TypeOf<FormatException>().With.Message.Contains("200"));
        Assert.That(() => Read(Nested(1_000_000)), Throws.TypeOf<FormatException>());
    }

    [Test]
    public void Whatever_the_bytes_a_geometry_comes_out_or_a_precise_error()
    {
        var random = new Random(1);
        var samples = Golden.Samples.Values.Select(Convert.FromHexString).ToArray();
        for (var i = 0; i < 20_000; i++)
        {
            var bytes = (byte[])samples[random.Next(samples.Length)].Clone();
            for (var change = random.Next(1, 4); change > 0; change--)
                bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
            try
            {
                Assert.That(new EwkbReader(Golden.Format, bytes).Read(), Is.Not.Null);
            }
            catch (Exception e) when (e is FormatException or InvalidCastException)
            {
            }
        }
    }

    [Test]
    public void Ordinates_that_are_not_wanted_are_passed_over()
    {
        var flat = new EwkbFormat(CoordinateArraySequenceFactory.Instance, new PrecisionModel(), Ordinates.XYM);
        var line = (LineString)new EwkbReader(flat, Convert.FromHexString(Golden.Samples["LINESTRING ZM(0 0 1 2, 1 1 3 4)"])).Read();
        Assert.That((line.CoordinateSequence.HasZ, line.CoordinateSequence.HasM), Is.EqualTo((false, true)));
        Assert.That((line.CoordinateSequence.GetX(1), line.CoordinateSequence.GetM(0), line.CoordinateSequence.GetM(1)), Is.EqualTo((1d, 2d, 4d)));
    }

    [Test]
    public void Coordinates_are_rounded_and_kept_as_was_said()
    {
        var format = new EwkbFormat(PackedCoordinateSequenceFactory.DoubleFactory, new PrecisionModel(1), Ordinates.None);
        var writer = new MessageWriter();
        EwkbWriter.Write(Golden.Format, writer, new Point(1.4, 1.6));
        var point = (Point)new EwkbReader(format, writer.Pending).Read();
        Assert.That((point.X, point.Y), Is.EqualTo((1d, 2d)));
        Assert.That(point.CoordinateSequence, Is.InstanceOf<PackedDoubleCoordinateSequence>());
    }

    private static Geometry Read(string hex) => new EwkbReader(Golden.Format, Convert.FromHexString(hex)).Read();
}
