using NetTopologySuite.Geometries;
using NetTopologySuite.IO;

namespace Loxo.NetTopologySuite.Tests;

public class EwkbWriterTests
{
    private static IEnumerable<string> Texts => Golden.Samples.Keys;

    [TestCaseSource(nameof(Texts))]
    public void What_is_sent_is_what_PostGIS_has(string text) => Assert.That(Write(Golden.Geometry(text)), Is.EqualTo(Golden.Samples[text]));

    [TestCaseSource(nameof(Texts))]
    public void NetTopologySuite_reads_it_as_the_same(string text)
    {
        var geometry = Golden.Geometry(text);
        Assert.That(new WKBReader().Read(Convert.FromHexString(Write(geometry))).EqualsExact(geometry), Is.True);
    }

    [Test]
    public void A_ring_is_a_line() => Assert.That(Write(new LinearRing([new(0, 0), new(0, 1), new(1, 1), new(0, 0)])), Does.StartWith("010200000004000000"));

    [Test]
    public void A_reference_system_of_0_or_less_is_none()
    {
        Assert.That(Write(new Point(1, 2) { SRID = -1 }), Is.EqualTo(Golden.Samples["POINT (1 2)"]));
        Assert.That(Write(new Point(1, 2) { SRID = 4326 }), Is.EqualTo(Golden.Samples["SRID=4326;POINT (1 2)"]));
    }

    [Test]
    public void Ordinates_that_no_coordinate_has_are_not_written() =>
        Assert.That(Write(new Point(new CoordinateZ(1, 2, double.NaN))), Is.EqualTo(Golden.Samples["POINT (1 2)"]));

    [Test]
    public void All_parts_have_the_ordinates_that_one_of_them_has() => Assert.That(
        Write(new MultiPoint([new Point(1, 2), new Point(1, 2, 3)])),
        Is.EqualTo("010400008002000000" + "0101000080000000000000f03f0000000000000040" + "000000000000f8ff" + Golden.Samples["POINT Z(1 2 3)"]));

    [Test]
    public void Only_wanted_ordinates_are_written()
    {
        var flat = new EwkbFormat(Golden.Format.Sequences, new PrecisionModel(), Ordinates.XY);
        Assert.That(Write(new Point(1, 2, 3), flat), Is.EqualTo(Golden.Samples["POINT (1 2)"]));
    }

    private static string Write(Geometry geometry, EwkbFormat? format = null)
    {
        var writer = new MessageWriter();
        EwkbWriter.Write(format ?? Golden.Format, writer, geometry);
        return Convert.ToHexStringLower(writer.Pending);
    }
}
