namespace Loxo.Types;

internal static class CollectionTypes
{
    private static readonly HashSet<Type> Generic =
    [
        typeof(List<>), typeof(IList<>), typeof(IReadOnlyList<>), typeof(ICollection<>), typeof(IReadOnlyCollection<>),
        typeof(IEnumerable<>), typeof(ReadOnlyMemory<>), typeof(Memory<>), typeof(ArraySegment<>),
    ];

    /// <summary>The element type of an array or list; null for other types, even for classes that implement a list's interface.</summary>
    public static Type? ElementOf(Type clrType)
    {
        if (clrType.IsArray)
            return clrType.GetElementType();
        return clrType.IsGenericType && Generic.Contains(clrType.GetGenericTypeDefinition()) ? clrType.GetGenericArguments()[0] : null;
    }
}
