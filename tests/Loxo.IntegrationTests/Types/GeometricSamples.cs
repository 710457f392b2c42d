namespace Loxo.IntegrationTests.Types;

/// <summary>Samples of the geometric types.</summary>
public static class GeometricSamples
{
    public static IEnumerable<TypeSample> All { get; } =
    [
        .. Samples("point", PgPoint.Parse, "(1.5,-2e-07)", "(0,-0)", "(Infinity,NaN)", "(1e+15,1.234567890123456e+15)", "(123456789012345,0.0001)"),
        .. Samples("line", PgLine.Parse, "{1,2,3}", "{0,-1,0.5}"),
        .. Samples("lseg", PgLSeg.Parse, "[(1,2),(3,4)]"),
        .. Samples("box", PgBox.Parse, "(3,4),(1,2)", "(NaN,4),(1,-Infinity)", "(0,0),(0,0)"),
        new ValueSample<PgBox>("box", "(1,4),(3,2)", new PgBox(new PgPoint(1, 4), new PgPoint(3, 2))),
        .. Samples("path", PgPath.Parse, "((1,2),(3,4))", "[(1,2),(3,4),(5,6)]", "((1,2))"),
        .. Samples("polygon", PgPolygon.Parse, "((1,2),(3,4),(5,6))", "((1,2))"),
        .. Samples("circle", PgCircle.Parse, "<(1,2),1e+20>", "<(0,0),0>"),
    ];

    // Each text as the value and as a string.
    private static IEnumerable<TypeSample> Samples<T>(string type, Func<string, IFormatProvider?, T> parse, params string[] texts)
        where T : struct => texts.SelectMany(text => new TypeSample[]
        {
            new ValueSample<T>(type, text, parse(text, null)),
            new ReferenceSample<string>(type, text, text),
        });
}
