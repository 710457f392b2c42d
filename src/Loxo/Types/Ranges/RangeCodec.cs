using Loxo.Protocol.Frontend;

namespace Loxo.Types;

/// <summary>
/// A range of what another codec reads. Not a <see cref="ValueCodec{T}"/>: that would have ranges of ranges, which the server has not, without end.
/// </summary>
/// <param name="bound">The codec of a bound.</param>
/// <param name="type">The range type's name in SQL.</param>
internal sealed class RangeCodec<T>(Codec<T> bound, string type) : Codec<PgRange<T>>
{
    private readonly RangeFormat<T> _format = new(bound, type);
    private NullableCodec<PgRange<T>>? _nullable;

    internal override Codec Nullable => NullableOf;

    private NullableCodec<PgRange<T>> NullableOf => _nullable ??= new NullableCodec<PgRange<T>>(this);

    public override PgRange<T> Read(ReadOnlySpan<byte> value) => _format.Read(value);

    public override void Write(MessageWriter writer, PgRange<T> value) => _format.Write(writer, value);

    internal override IEnumerable<Codec> ArraysOf(TypeEntry element) => ArrayCodecs.Of(this, NullableOf, element);
}

/// <summary>A multirange as an array of ranges.</summary>
/// <param name="bound">The codec of a bound.</param>
/// <param name="type">The multirange type's name in SQL.</param>
internal sealed class MultirangeCodec<T>(Codec<T> bound, string type) : Codec<PgRange<T>[]>
{
    private readonly MultirangeFormat<T> _format = new(bound, type);

    internal override Codec? Nullable => null;

    public override PgRange<T>[] Read(ReadOnlySpan<byte> value) => _format.Read(value);

    public override void Write(MessageWriter writer, PgRange<T>[] value) => _format.Write(writer, value);

    internal override IEnumerable<Codec> ArraysOf(TypeEntry element) => ArrayCodecs.Of(this, element);
}

/// <summary>A multirange as a list of ranges.</summary>
/// <inheritdoc cref="MultirangeCodec{T}"/>
internal sealed class MultirangeListCodec<T>(Codec<T> bound, string type) : Codec<List<PgRange<T>>>
{
    private readonly MultirangeFormat<T> _format = new(bound, type);

    internal override Codec? Nullable => null;

    public override List<PgRange<T>> Read(ReadOnlySpan<byte> value) => [.. _format.Read(value)];

    public override void Write(MessageWriter writer, List<PgRange<T>> value) => _format.Write(writer, value);

    internal override IEnumerable<Codec> ArraysOf(TypeEntry element) => ArrayCodecs.Of(this, element);
}

/// <summary>The codecs that every type's multiranges have, whatever its bounds.</summary>
internal static class MultirangeCodecs
{
    public static IEnumerable<Codec> Of<T>(Codec<T> bound, string type) => [new MultirangeCodec<T>(bound, type), new MultirangeListCodec<T>(bound, type)];
}

/// <summary>Multiranges on the wire (multirange_send, multirangetypes.c): the number of ranges, then each behind its length.</summary>
internal sealed class MultirangeFormat<T>(Codec<T> bound, string type)
{
    private const int LeastSizeOfRange = sizeof(int) + RangeFormat<T>.LeastSize;

    private readonly RangeFormat<T> _range = new(bound, type);

    public PgRange<T>[] Read(ReadOnlySpan<byte> value)
    {
        var scanner = new BinaryScanner(value, type);
        var count = scanner.TakeCount(LeastSizeOfRange);
        PgRange<T>[] ranges = count == 0 ? [] : new PgRange<T>[count];
        foreach (ref var range in ranges.AsSpan())
            range = scanner.TryTakeValue(out var bytes) ? _range.Read(bytes) : throw scanner.Malformed("a range of it is NULL");
        scanner.End();
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
