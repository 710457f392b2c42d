using System.Collections.Immutable;

namespace Loxo.Types;

/// <summary>The PostgreSQL type of a parameter that has nothing but its value.</summary>
internal sealed class TypeInference(IReadOnlyDictionary<PgDbType, TypeEntry> types, TimestampPolicy timestamps)
{
    private readonly ScalarInference _scalars = new(types, kindMatters: timestamps != TimestampPolicy.Legacy);

    public TypeEntry? Of<T>(T? value)
    {
        if (typeof(T) == typeof(DateTime))
            return _scalars.ByKind((DateTime)(object)value!); // no box: T is known when this is compiled
        return typeof(T) == typeof(object) || !typeof(T).IsValueType || Kinds<T>.Matter
            ? Of(value?.GetType() ?? typeof(T), value)
            : Of(typeof(T), null);
    }

    public TypeEntry? Of(Type clrType, object? value)
    {
        if (_scalars.Of(clrType, value) is { } scalar)
            return scalar;
        if (Nullable.GetUnderlyingType(clrType) is { } underlying)
            return Of(underlying, value);
        if (RangeTypes.BoundOf(clrType) is { } bound)
            return RangeOf(Of(bound, DateTimeSample.In(value)), PgDbType.Range);
        return _scalars.OfBase(clrType) ?? (ElementOf(clrType) is { } element ? CollectionOf(element, value) : null);
    }

    /// <summary>Whether a DateTime's kind decides on the type, so that the next value may have another one.</summary>
    public static bool DependsOnKind(Type clrType) =>
        clrType == typeof(DateTime)
        || !ScalarInference.IsScalar(clrType)
        && (Nullable.GetUnderlyingType(clrType) ?? RangeTypes.BoundOf(clrType) ?? ElementOf(clrType)) is { } inner && DependsOnKind(inner);

    /// <summary>
    /// Whether a value consists of ranges of DateTime without a single bound, so that nothing tells <c>tsrange</c> from <c>tstzrange</c>,
    /// which the server does not convert into each other. An array without a DateTime is <c>timestamp[]</c>, which it does convert.
    /// </summary>
    public static bool IsUndecidedRange(object value) =>
        DependsOnKind(value.GetType()) && InnermostBound(value.GetType()) == typeof(DateTime) && DateTimeSample.In(value) is null;

    private static Type? InnermostBound(Type clrType)
    {
        var type = clrType;
        while (RangeTypes.BoundOf(Nullable.GetUnderlyingType(type) ?? type) is null && ElementOf(type) is { } element)
            type = element;
        return RangeTypes.BoundOf(Nullable.GetUnderlyingType(type) ?? type);
    }

    // Several ranges are a multirange; an array of ranges has to be asked for.
    private TypeEntry? CollectionOf(Type element, object? collection)
    {
        object? sample = DependsOnKind(element) ? DateTimeSample.In(collection) : null;
        return RangeTypes.BoundOf(Nullable.GetUnderlyingType(element) ?? element) is not null
            ? RangeOf(Of(element, sample), PgDbType.Multirange)
            : Of(element, sample)?.Array;
    }

    private TypeEntry? RangeOf(TypeEntry? type, PgDbType kind) => type?.PgDbType is { } dbType
        ? types.GetValueOrDefault((dbType & ~PgDbType.Range) | kind)
        : null;

    /// <summary>The element type of an array, a list, or a class that is a sequence of one type; null for other types.</summary>
    public static Type? ElementOf(Type clrType) =>
        CollectionTypes.ElementOf(clrType)
        ?? ((clrType is { IsClass: true, IsArray: false } && clrType != typeof(string)) || IsImmutableArray(clrType)
            ? SequenceElementOf(clrType)
            : null);

    private static bool IsImmutableArray(Type clrType) =>
        clrType.IsGenericType && clrType.GetGenericTypeDefinition() == typeof(ImmutableArray<>);

    [UnconditionalSuppressMessage("Trimming", "IL2070",
        Justification = "Writing a sequence uses IEnumerable<T>, so it stays where it is implemented.")]
    private static Type? SequenceElementOf(Type clrType)
    {
        var sequences = clrType.GetInterfaces()
            .Where(type => type.IsGenericType && type.GetGenericTypeDefinition() == typeof(IEnumerable<>)).ToArray();
        return sequences is [var only] && only.GetGenericArguments()[0] is var element && IsNoCollection(element) ? element : null;
    }

    // A class that is a sequence may be one of itself: a node of its nodes.
    private static bool IsNoCollection(Type element) =>
        ScalarInference.IsScalar(element) || element == typeof(DateTime)
        || (Nullable.GetUnderlyingType(element) ?? RangeTypes.BoundOf(element)) is { } inner && IsNoCollection(inner);

    private static class Kinds<T>
    {
        public static readonly bool Matter = DependsOnKind(typeof(T));
    }
}
