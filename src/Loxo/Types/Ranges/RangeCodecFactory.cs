namespace Loxo.Types;

/// <summary>Ranges or multiranges whose bounds are of a .NET type that the bound's type does not list: any enum, any class.</summary>
/// <param name="bound">The type of the bounds.</param>
/// <param name="over">The codecs over one of a bound.</param>
internal sealed class RangeCodecFactory(TypeEntry bound, Func<Codec, IEnumerable<Codec>> over) : ICodecFactory
{
    public ICodecFactory? Arrays => null;

    public Codec<T>? Create<T>(TypeEntry type) => Create(typeof(T), type) as Codec<T>;

    public Codec? Create(Type clrType, TypeEntry type)
    {
        if (Nullable.GetUnderlyingType(clrType) is { } underlying)
            return Create(underlying, type)?.Nullable;
        var range = TypeInference.ElementOf(clrType) ?? clrType;
        return TypeInference.BoundOf(range) is { } boundType && bound.AnyCodecFor(boundType) is { } codec
            ? over(codec).FirstOrDefault(made => made.ValueType == clrType)
            : null;
    }
}
