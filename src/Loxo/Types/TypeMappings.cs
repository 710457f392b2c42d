namespace Loxo.Types;

/// <summary>What users have said about types, on top of what is built in.</summary>
internal sealed class TypeMappings
{
    private readonly Dictionary<string, List<Codec>> _codecs = new(StringComparer.Ordinal);

    /// <summary>Whether nothing was said.</summary>
    public bool IsEmpty => _codecs.Count == 0;

    /// <summary>The names that have codecs of their own, in the form of <see cref="TypeNames.Normalize"/>.</summary>
    public IEnumerable<KeyValuePair<string, List<Codec>>> Codecs => _codecs;

    /// <summary>Puts codecs in front of those that the type has; the first one is the default for reading from then on.</summary>
    public void AddCodecs(string typeName, IEnumerable<Codec> codecs)
    {
        var name = TypeNames.Normalize(typeName);
        if (_codecs.TryGetValue(name, out var there))
            there.InsertRange(0, codecs);
        else
            _codecs.Add(name, [.. codecs]);
    }
}
