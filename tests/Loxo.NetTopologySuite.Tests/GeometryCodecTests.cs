using NetTopologySuite.Geometries;

namespace Loxo.NetTopologySuite.Tests;

public class GeometryCodecTests
{
    [Test]
    public void A_geometry_is_read_as_its_class_or_as_any()
    {
        Assert.That(Read<Geometry>("POINT (1 2)"), Is.TypeOf<Point>());
        Assert.That(Read<Point>("POINT (1 2)").Y, Is.EqualTo(2));
        Assert.That(Read<GeometryCollection>("MULTIPOINT ((1 2), (3 4))").NumGeometries, Is.EqualTo(2));
    }

    [Test]
    public void A_geometry_of_another_class_is_refused() =>
        Assert.That(() => Read<Polygon>("POINT (1 2)"), Throws.TypeOf<InvalidCastException>().With.Message.Contains("A Point cannot become a Polygon"));

    [Test]
    public void A_line_that_is_closed_is_a_ring()
    {
        var ring = new LinearRing([new(0, 0), new(0, 1), new(1, 1), new(0, 0)]);
        var writer = new MessageWriter();
        new GeometryCodec<LinearRing>(Golden.Format).Write(writer, ring);
        Assert.That(new GeometryCodec<LinearRing>(Golden.Format).Read(writer.Pending).EqualsExact(ring), Is.True);
        Assert.That(Read<LinearRing>("LINESTRING EMPTY").IsEmpty, Is.True);
        Assert.That(() => Read<LinearRing>("LINESTRING (0 0, 1 1, 2 0)"), Throws.TypeOf<InvalidCastException>().With.Message.Contains("not closed"));
    }

    private static T Read<T>(string text)
        where T : Geometry => new GeometryCodec<T>(Golden.Format).Read(Convert.FromHexString(Golden.Samples[text]));
}
