namespace Loxo;

/// <summary>
/// A codec of a value type; derive from it to read and write a value type of your own. Arrays, lists, ranges, multiranges and
/// <see cref="Nullable{T}"/> of it come with it.
/// </summary>
/// <typeparam name="T">The .NET type.</typeparam>
public abstract class ValueCodec<T> : Codec<T>, INullableBound
    where T : struct
{
    // Only here, where T is known to be a value type, can this be written in plain generic code: no reflection, nothing that trimming or
    // native compilation could lose.
    private NullableCodec<T>? _nullable;

    internal sealed override Codec Nullable => NullableOf;

    private NullableCodec<T> NullableOf => _nullable ??= new NullableCodec<T>(this);

    internal sealed override IEnumerable<Codec> ArraysOf(IArrayCodecs arrays) => arrays.Of(this, NullableOf);

    internal sealed override IEnumerable<Codec> RangesOf(IRangeCodecs ranges) => ranges.Of(this);

    IEnumerable<Codec> INullableBound.NullableRangesOf(IRangeCodecs ranges) => ranges.Of(NullableOf);
}

/// <summary>
/// A codec of a reference type; derive from it to read and write a class of your own. Arrays, lists, ranges and multiranges of it come with
/// it; an element that is null stands for NULL.
/// </summary>
/// <typeparam name="T">The .NET type.</typeparam>
public abstract class ReferenceCodec<T> : Codec<T>
    where T : class
{
    internal sealed override IEnumerable<Codec> ArraysOf(IArrayCodecs arrays) => arrays.Of(this);

    internal sealed override IEnumerable<Codec> RangesOf(IRangeCodecs ranges) => ranges.Of(this);
}
