namespace Loxo.Types;

/// <summary>
/// What users have said about types, on top of what is built in: by PostgreSQL type, codecs that come in front of its own.
/// </summary>
internal sealed class TypeMappings
{
    private readonly List<Mapping> _mappings = [];
    private readonly Dictionary<Type, TypeName> _names = [];

    /// <summary>Nothing was said.</summary>
    public static TypeMappings None { get; } = new();

    /// <summary>How names of .NET become names of PostgreSQL where nothing else is said.</summary>
    public IPgNameTranslator NameTranslator => Translator ?? PgSnakeCaseNameTranslator.Instance;

    /// <summary>The one that was set; null for none.</summary>
    public IPgNameTranslator? Translator { get; init; }

    /// <summary>Whether nothing was said of built-in types, so that they are as in every other data source.</summary>
    public bool IsEmpty => _mappings.Count == 0;

    /// <summary>The PostgreSQL type that a .NET type is written as; null when nothing was said of it. What was said last counts.</summary>
    public TypeName? NameOf(Type clrType) => _names.TryGetValue(clrType, out var name) ? name : null;

    /// <summary>Adds one; what is added last comes first.</summary>
    public void Add(Mapping mapping)
    {
        _mappings.Add(mapping);
        _names[mapping.ClrType] = mapping.Name;
    }

    /// <summary>Takes back what was said of a .NET type under that name; false if nothing was.</summary>
    public bool Remove(Type clrType, TypeName name) =>
        _mappings.RemoveAll(mapping => mapping.ClrType == clrType && mapping.Name == name) > 0;

    /// <summary>Those for a type of that name, qualified or not; what was added last comes first.</summary>
    public IEnumerable<Mapping> For(TypeName qualified) =>
        Enumerable.Reverse(_mappings).Where(mapping => mapping.Name == qualified || mapping.Name == qualified with { Schema = null });

    /// <summary>Puts codecs for the type in front of its own.</summary>
    public void Apply(TypeEntry type, TypeName qualified)
    {
        Mapping[] fitting = [.. For(qualified)];
        if (fitting.Length > 0)
            type.Map(() => fitting.Select(mapping => mapping.Make(type)).OfType<Codec>());
    }

    /// <summary>All that was said here after all that was said there, as it is now, whatever is added later.</summary>
    public TypeMappings Over(TypeMappings general, IPgNameTranslator? translator = null)
    {
        var all = new TypeMappings { Translator = translator ?? Translator ?? general.Translator };
        foreach (var mapping in general._mappings.Concat(_mappings))
            all.Add(mapping);
        return all;
    }

    /// <summary>What was said once.</summary>
    /// <param name="Name">The PostgreSQL type.</param>
    /// <param name="ClrType">The .NET type.</param>
    /// <param name="Make">Makes the codec for the type as it is in the database; null when it is of another kind than was meant.</param>
    internal sealed record Mapping(TypeName Name, Type ClrType, Func<TypeEntry, Codec?> Make);
}
