using Loxo.Types.Composed;

namespace Loxo.Types;

/// <summary>
/// A codec of a value type. It makes its own codecs for T? and for arrays, because only here, where T is known to be a value type,
/// can that be written in plain generic code: no reflection, nothing that trimming or native compilation could lose.
/// </summary>
internal abstract class ValueCodec<T> : Codec<T>
    where T : struct
{
    private NullableCodec<T>? _nullable;

    public sealed override Codec Nullable => NullableOf;

    private NullableCodec<T> NullableOf => _nullable ??= new NullableCodec<T>(this);

    public sealed override IEnumerable<Codec> ArraysOf(TypeEntry element) =>
    [
        new ArrayCodec<T>(this, element),
        new ArrayCodec<T?>(NullableOf, element),
        new ListCodec<T>(this, element),
        new ListCodec<T?>(NullableOf, element),
        new InterfaceListCodec<T>(this, element),
        new InterfaceListCodec<T?>(NullableOf, element),
    ];
}

/// <summary>A codec of a reference type; null stands for NULL where it is an element of an array.</summary>
internal abstract class ReferenceCodec<T> : Codec<T>
    where T : class
{
    public sealed override Codec? Nullable => null;

    public sealed override IEnumerable<Codec> ArraysOf(TypeEntry element) =>
        [new ArrayCodec<T>(this, element), new ListCodec<T>(this, element), new InterfaceListCodec<T>(this, element)];
}
