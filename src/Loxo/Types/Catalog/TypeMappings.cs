namespace Loxo.Types;

/// <summary>The mappings of users: by PostgreSQL type, codecs that come in front of its own.</summary>
internal sealed class TypeMappings
{
    private readonly List<Mapping> _mappings = [];
    private readonly Dictionary<Type, TypeName> _names = [];

    public static TypeMappings None { get; } = new();

    /// <summary>Makes the names of PostgreSQL from those of .NET where a mapping does not name them.</summary>
    public IPgNameTranslator NameTranslator => Translator ?? PgSnakeCaseNameTranslator.Instance;

    public IPgNameTranslator? Translator { get; init; }

    /// <summary>Whether there are no mappings, so that the built-in types can be shared with other data sources.</summary>
    public bool IsEmpty => _mappings.Count == 0;

    /// <summary>The PostgreSQL type that a .NET type is written as; null when nothing was said of it. What was said last counts.</summary>
    public TypeName? NameOf(Type clrType) => _names.TryGetValue(clrType, out var name) ? name : null;

    public void Add(Mapping mapping)
    {
        _mappings.Add(mapping);
        _names[mapping.ClrType] = mapping.Name;
    }

    public bool Remove(Type clrType, TypeName name) =>
        _mappings.RemoveAll(mapping => mapping.ClrType == clrType && mapping.Name == name) > 0;

    /// <summary>The mappings to a type of that name, qualified or not; the last one comes first.</summary>
    public IEnumerable<Mapping> For(TypeName qualified) =>
        Enumerable.Reverse(_mappings).Where(mapping => mapping.Name == qualified || mapping.Name == qualified with { Schema = null });

    public void Apply(TypeEntry type, TypeName qualified)
    {
        Mapping[] fitting = [.. For(qualified)];
        if (fitting.Length > 0)
            type.Map(() => fitting.Select(mapping => mapping.Make(type)).OfType<Codec>());
    }

    /// <summary>Merges two sets of mappings into a snapshot; these come after the general ones, so they win.</summary>
    public TypeMappings Over(TypeMappings general, IPgNameTranslator? translator = null)
    {
        var all = new TypeMappings { Translator = translator ?? Translator ?? general.Translator };
        foreach (var mapping in general._mappings.Concat(_mappings))
            all.Add(mapping);
        return all;
    }

    // Make returns null for a type that is of another kind in the database than was meant.
    internal sealed record Mapping(TypeName Name, Type ClrType, Func<TypeEntry, Codec?> Make);
}
