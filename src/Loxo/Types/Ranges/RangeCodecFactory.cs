namespace Loxo.Types;

/// <summary>
/// Makes codecs of ranges or multiranges whose bounds have a .NET type that the bound's type does not list: any enum, any class.
/// </summary>
internal sealed class RangeCodecFactory(TypeEntry bound, IRangeCodecs ranges) : ICodecFactory
{
    public ICodecFactory? Arrays => null;

    public Codec<T>? Create<T>(TypeEntry type) => Create(typeof(T), type) as Codec<T>;

    public Codec? Create(Type clrType, TypeEntry type)
    {
        if (Nullable.GetUnderlyingType(clrType) is { } underlying)
            return Create(underlying, type)?.Nullable;
        var range = CollectionTypes.ElementOf(clrType) ?? clrType;
        return RangeTypes.BoundOf(range) is { } boundType && bound.AnyCodecFor(boundType) is { } codec
            ? codec.RangesOf(ranges).FirstOrDefault(made => made.ValueType == clrType)
            : null;
    }
}
