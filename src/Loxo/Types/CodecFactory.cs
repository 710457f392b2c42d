using System.Collections.Concurrent;

namespace Loxo.Types;

/// <summary>Makes codecs for .NET types too many to list, such as any class for json. Each is asked for once and cached.</summary>
internal interface ICodecFactory
{
    /// <summary>The factory of the array type; null if the listed codecs of that are all.</summary>
    ICodecFactory? Arrays => null;

    /// <summary>The method that maps a .NET type to this type; null if none does.</summary>
    string? MappingOf(Type clrType) => null;

    /// <summary>The binary codec for a .NET type that is known when the program is compiled; null if it is not one for this type.</summary>
    Codec<T>? Create<T>(TypeEntry type);

    /// <summary>The binary codec that writes values of a run-time type, perhaps no <see cref="Codec{T}"/>; null if there is none.</summary>
    Codec? Create(Type clrType, TypeEntry type);
}

internal sealed class CodecCache(ICodecFactory factory, TypeEntry type, TextFormat? format)
{
    private readonly ConcurrentDictionary<Type, Codec> _byType = new();
    private readonly ConcurrentDictionary<Type, Codec> _byRuntimeType = new();

    public Codec<T>? For<T>() =>
        (Codec<T>?)(_byType.TryGetValue(typeof(T), out var made) ? made : Keep(_byType, typeof(T), factory.Create<T>(type)));

    public Codec? ForValue(Type clrType) =>
        _byRuntimeType.TryGetValue(clrType, out var made) ? made : Keep(_byRuntimeType, clrType, factory.Create(clrType, type));

    private Codec? Keep(ConcurrentDictionary<Type, Codec> codecs, Type clrType, Codec? made) =>
        made is null ? null : codecs.GetOrAdd(clrType, format is null ? made : made.InTextFormat(format));
}

/// <summary>
/// Makes the array codecs of one PostgreSQL type. An element's codec calls it with itself: only there is the .NET type known to the
/// compiler, so that no generic type has to be made by reflection, which trimming and native compilation would break.
/// </summary>
internal interface IArrayCodecs
{
    /// <summary>Arrays of a .NET type that can be null by itself.</summary>
    /// <param name="element">The codec of an element that is not NULL.</param>
    /// <param name="wider">Reads, as an object, an array with an element that has no form in T.</param>
    IEnumerable<Codec> Of<T>(Codec<T> element, Codec? wider = null);

    /// <summary>Arrays of a value type and of its nullable form.</summary>
    IEnumerable<Codec> Of<T>(Codec<T> element, Codec<T?> nullable)
        where T : struct;
}

/// <summary>Makes the range or multirange codecs of one PostgreSQL type; called like <see cref="IArrayCodecs"/>.</summary>
internal interface IRangeCodecs
{
    IEnumerable<Codec> Of<T>(Codec<T> bound);
}

/// <summary>
/// A codec that also brings ranges with nullable bounds, which are made when they are asked for. Ranges are not among these codecs: there
/// are no ranges of ranges, and native compilation would find no end of them.
/// </summary>
internal interface INullableBound
{
    IEnumerable<Codec> NullableRangesOf(IRangeCodecs ranges);
}
