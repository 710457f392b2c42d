using System.Collections.Immutable;
using Loxo.Types;

namespace Loxo.Session;

/// <summary>
/// Infers the PostgreSQL type of a parameter from its value's .NET type: by the user's mappings, the built-in types, or a type name.
/// </summary>
internal static class SessionInference
{
    private static readonly Dictionary<Type, TypeName> OfExtensions = new()
    {
        [typeof(Dictionary<string, string?>)] = new TypeName(null, "hstore"),
        [typeof(IDictionary<string, string?>)] = new TypeName(null, "hstore"),
        [typeof(ImmutableDictionary<string, string?>)] = new TypeName(null, "hstore"),
        [typeof(PgCube)] = new TypeName(null, "cube"),
    };

    /// <summary>
    /// The type as which values of a .NET type are written; null if there is none, or if it has to be looked up first.
    /// </summary>
    public static TypeEntry? Infer(this SessionTypes types, Type clrType, object? value)
    {
        var known = types.Known;
        if (!known.Mappings.IsEmpty && known.Mappings.NameOf(clrType) is { } mapped)
            return types.FindOrRequest(mapped);
        if (known.BuiltIn.Infer(clrType, value) is { } builtIn)
            return builtIn;
        if (Nullable.GetUnderlyingType(clrType) is { } underlying)
            return types.Infer(underlying, value);
        if (NameOf(clrType, known.Mappings) is { } name)
            return types.FindOrRequest(name);
        if (RangeTypes.BoundOf(clrType) is { } bound)
            return RangeOf(types, bound, PgDbType.Range);
        if (TypeInference.ElementOf(clrType) is not { } element)
            return null;
        return RangeTypes.BoundOf(element) is { } elementBound
            ? RangeOf(types, elementBound, PgDbType.Multirange)
            : types.Infer(element, null)?.Array;
    }

    private static TypeName? NameOf(Type clrType, TypeMappings mappings)
    {
        if (clrType.IsEnum)
            return ClrMembers.TypeNameOf(clrType, mappings.NameTranslator);
        return OfExtensions.TryGetValue(clrType, out var name) ? name : null;
    }

    private static TypeEntry? RangeOf(SessionTypes types, Type bound, PgDbType kind) =>
        types.Infer(bound, null)?.PgDbType is { } dbType ? types.Known.BuiltIn.Find(dbType | kind) : null;
}
