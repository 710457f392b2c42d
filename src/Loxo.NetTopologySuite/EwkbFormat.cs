using System.Collections.Concurrent;
using NetTopologySuite;
using NetTopologySuite.Geometries;

namespace Loxo.NetTopologySuite;

/// <summary>How geometries are made from EWKB, and which of their ordinates are read and written.</summary>
/// <param name="sequences">What coordinates are kept in.</param>
/// <param name="precision">What X and Y are rounded to when they are read.</param>
/// <param name="ordinates">The ordinates to read and write; X and Y always are.</param>
internal sealed class EwkbFormat(CoordinateSequenceFactory sequences, PrecisionModel precision, Ordinates ordinates)
{
    private readonly NtsGeometryServices _services = new(
        sequences, precision, 0, NtsGeometryServices.Instance.GeometryOverlay, NtsGeometryServices.Instance.CoordinateEqualityComparer);

    private readonly ConcurrentDictionary<int, GeometryFactory> _factories = new();

    public CoordinateSequenceFactory Sequences => sequences;

    public PrecisionModel Precision => precision;

    public Ordinates Ordinates { get; } = (ordinates == Ordinates.None ? Ordinates.XYZM : ordinates) & sequences.Ordinates;

    /// <summary>What makes the geometries of one reference system; 0 stands for none, as it does in PostGIS.</summary>
    public GeometryFactory FactoryOf(int srid) =>
        _factories.TryGetValue(srid, out var known) ? known : _factories.GetOrAdd(srid, _services.CreateGeometryFactory);
}
