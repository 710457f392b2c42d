namespace Loxo.Types;

/// <summary>Makes codecs for arrays and lists of the .NET types that another factory makes codecs for.</summary>
internal sealed class ArrayCodecFactory(ICodecFactory elements) : ICodecFactory
{
    public ICodecFactory? Arrays => null;

    public Codec<T>? Create<T>(TypeEntry type) => Create(typeof(T), type) as Codec<T>;

    public Codec? Create(Type clrType, TypeEntry type)
    {
        if (CollectionTypes.ElementOf(clrType) is not { } element || type.Element is not { } elementType)
            return null;
        // The codec of a value type brings the arrays of its nullable form.
        var codec = elements.Create(Nullable.GetUnderlyingType(element) ?? element, elementType);
        return codec?.ArraysOf(new ArrayCodecs(elementType))
            .Select(array => array.ValueType == clrType ? array : array.As(clrType)).FirstOrDefault(array => array is not null);
    }
}
