namespace Loxo.Types;

/// <summary>
/// A range of what another codec reads. Not a <see cref="ValueCodec{T}"/>: that would have ranges of ranges, which the server has not,
/// without end.
/// </summary>
internal sealed class RangeCodec<T>(Codec<T> bound, string type) : Codec<PgRange<T>>
{
    private readonly RangeFormat<T> _format = new(bound, type);
    private NullableCodec<PgRange<T>>? _nullable;

    internal override Codec Nullable => NullableOf;

    private NullableCodec<PgRange<T>> NullableOf => _nullable ??= new NullableCodec<PgRange<T>>(this);

    public override PgRange<T> Read(ReadOnlySpan<byte> value) => _format.Read(value);

    public override void Write(MessageWriter writer, PgRange<T> value) => _format.Write(writer, value);

    internal override IEnumerable<Codec> ArraysOf(IArrayCodecs arrays) => arrays.Of(this, NullableOf);
}

internal sealed class MultirangeCodec<T>(Codec<T> bound, string type) : Codec<PgRange<T>[]>
{
    private readonly MultirangeFormat<T> _format = new(bound, type);

    public override PgRange<T>[] Read(ReadOnlySpan<byte> value) => _format.Read(value);

    public override void Write(MessageWriter writer, PgRange<T>[] value) => _format.Write(writer, value);

    internal override IEnumerable<Codec> ArraysOf(IArrayCodecs arrays) => arrays.Of(this);
}

internal sealed class MultirangeListCodec<T>(Codec<T> bound, string type) : Codec<List<PgRange<T>>>
{
    private readonly MultirangeFormat<T> _format = new(bound, type);

    public override List<PgRange<T>> Read(ReadOnlySpan<byte> value) => [.. _format.Read(value)];

    public override void Write(MessageWriter writer, List<PgRange<T>> value) => _format.Write(writer, value);

    internal override IEnumerable<Codec> ArraysOf(IArrayCodecs arrays) => arrays.Of(this);
}

internal sealed class RangeCodecs(string type) : IRangeCodecs
{
    public IEnumerable<Codec> Of<T>(Codec<T> bound) => [new RangeCodec<T>(bound, type)];
}

internal sealed class MultirangeCodecs(string type) : IRangeCodecs
{
    public IEnumerable<Codec> Of<T>(Codec<T> bound) => [new MultirangeCodec<T>(bound, type), new MultirangeListCodec<T>(bound, type)];
}

internal sealed class MultirangeFormat<T>(Codec<T> bound, string type)
{
    private readonly RangeFormat<T> _range = new(bound, type);

    public PgRange<T>[] Read(ReadOnlySpan<byte> value)
    {
        var reader = new MultirangeReader(value, type);
        PgRange<T>[] ranges = reader.Count == 0 ? [] : new PgRange<T>[reader.Count];
        foreach (ref var range in ranges.AsSpan())
            range = _range.Read(reader.Take());
        reader.End();
        return ranges;
    }

    public void Write(MessageWriter writer, IReadOnlyCollection<PgRange<T>> ranges)
    {
        writer.WriteInt32(ranges.Count);
        foreach (var range in ranges)
        {
            var start = writer.BeginValue();
            _range.Write(writer, range);
            writer.EndValue(start);
        }
    }
}
