namespace Loxo.Types;

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
