namespace Loxo.Types;

/// <summary>A range of what another codec reads; no <see cref="ValueCodec{T}"/>, since there are no ranges of ranges.</summary>
internal sealed class RangeCodec<T>(Codec<T> bound, string type) : Codec<PgRange<T>>
{
    private NullableCodec<PgRange<T>>? _nullable;

    internal override Codec Nullable => NullableOf;

    private NullableCodec<PgRange<T>> NullableOf => _nullable ??= new NullableCodec<PgRange<T>>(this);

    public override PgRange<T> Read(ReadOnlySpan<byte> value)
    {
        var reader = new RangeReader(value, type);
        var lower = reader.TryTakeLower(out var bytes) ? bound.Read(bytes) : default;
        var upper = reader.TryTakeUpper(out bytes) ? bound.Read(bytes) : default;
        reader.End();
        return new PgRange<T>(lower, upper, reader.Flags);
    }

    public override void Write(MessageWriter writer, PgRange<T> value)
    {
        var flags = value.Flags;
        writer.WriteByte((byte)flags);
        if (flags.HasLower())
            bound.WriteWithLength(writer, value.LowerBound!);
        if (flags.HasUpper())
            bound.WriteWithLength(writer, value.UpperBound!);
    }

    internal override IEnumerable<Codec> ArraysOf(IArrayCodecs arrays) => arrays.Of(this, NullableOf);

    internal override Codec? As(Type clrType) => RangeTypes.NullableOf(clrType, bound, new RangeCodecs(type));
}

internal sealed class MultirangeCodec<T>(Codec<T> bound, string type) : Codec<PgRange<T>[]>
{
    private readonly RangeCodec<T> _range = new(bound, type);

    public override PgRange<T>[] Read(ReadOnlySpan<byte> value)
    {
        var scanner = new BinaryScanner(value, type);
        var count = RangeReader.TakeCount(ref scanner);
        PgRange<T>[] ranges = count == 0 ? [] : new PgRange<T>[count];
        foreach (ref var range in ranges.AsSpan())
            range = _range.Read(RangeReader.TakeRange(ref scanner));
        scanner.End();
        return ranges;
    }

    public override void Write(MessageWriter writer, PgRange<T>[] value) => Write(writer, value.AsSpan());

    public void Write(MessageWriter writer, ReadOnlySpan<PgRange<T>> ranges)
    {
        writer.WriteInt32(ranges.Length);
        foreach (var range in ranges)
            _range.WriteWithLength(writer, range);
    }

    internal override IEnumerable<Codec> ArraysOf(IArrayCodecs arrays) => arrays.Of(this);

    internal override Codec? As(Type clrType) => RangeTypes.NullableOf(clrType, bound, new MultirangeCodecs(type));
}

internal sealed class MultirangeListCodec<T>(MultirangeCodec<T> array) : Codec<List<PgRange<T>>>
{
    public override List<PgRange<T>> Read(ReadOnlySpan<byte> value) => [.. array.Read(value)];

    public override void Write(MessageWriter writer, List<PgRange<T>> value) => array.Write(writer, CollectionsMarshal.AsSpan(value));

    internal override IEnumerable<Codec> ArraysOf(IArrayCodecs arrays) => arrays.Of(this);
}

internal sealed class RangeCodecs(string type) : IRangeCodecs
{
    public IEnumerable<Codec> Of<T>(Codec<T> bound) => [new RangeCodec<T>(bound, type)];
}

internal sealed class MultirangeCodecs(string type) : IRangeCodecs
{
    public IEnumerable<Codec> Of<T>(Codec<T> bound)
    {
        var array = new MultirangeCodec<T>(bound, type);
        return [array, new MultirangeListCodec<T>(array)];
    }
}

/// <summary>Makes codecs of ranges or multiranges of a .NET type that the bound's type does not list: any enum, any class.</summary>
internal sealed class RangeCodecFactory(TypeEntry bound, IRangeCodecs ranges) : ICodecFactory
{
    public ICodecFactory Arrays => new ArrayCodecFactory(this);

    public Codec<T>? Create<T>(TypeEntry type) => Create(typeof(T), type) as Codec<T>;

    public Codec? Create(Type clrType, TypeEntry type)
    {
        if (Nullable.GetUnderlyingType(clrType) is { } underlying)
            return Create(underlying, type)?.Nullable;
        var range = CollectionTypes.ElementOf(clrType) ?? clrType;
        if (RangeTypes.BoundOf(range) is not { } boundType)
            return null;
        if (bound.AnyCodecFor(Nullable.GetUnderlyingType(boundType) ?? boundType) is not { } codec)
            return null;
        return RangeTypes.NullableOf(clrType, codec, ranges) ?? codec.RangesOf(ranges).FirstOrDefault(made => made.ValueType == clrType);
    }
}
