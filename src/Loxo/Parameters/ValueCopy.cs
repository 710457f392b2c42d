using System.Collections;
using System.Text.Json.Nodes;

namespace Loxo.Parameters;

/// <summary>Copies values that their caller may change in place before they are encoded.</summary>
internal static class ValueCopy
{
    /// <summary>
    /// The value as it is now: arrays, lists, memory of bytes, dictionaries of hstore, bits and JSON nodes are copied, elements included.
    /// Any other value is returned itself.
    /// </summary>
    public static object? Of(object? value) => value switch
    {
        object?[] elements => OfElements(elements),
        Array array => array.Clone(),
        BitArray bits => bits.Clone(),
        JsonNode node => node.DeepClone(),
        ReadOnlyMemory<byte> bytes => new ReadOnlyMemory<byte>(bytes.ToArray()),
        Memory<byte> bytes => new Memory<byte>(bytes.ToArray()),
        ArraySegment<byte> bytes => new ArraySegment<byte>([.. bytes]),
        Dictionary<string, string?> pairs => new Dictionary<string, string?>(pairs, pairs.Comparer),
        IList list when list.GetType() is { IsGenericType: true } type && type.GetGenericTypeDefinition() == typeof(List<>) => OfList(list),
        _ => value,
    };

    private static object?[] OfElements(object?[] elements)
    {
        var copy = (object?[])elements.Clone();
        for (var i = 0; i < copy.Length; i++)
            copy[i] = Of(copy[i]);
        return copy;
    }

    // An element may be of any type.
    [UnconditionalSuppressMessage("Trimming", "IL2072", Justification = "The constructor is kept by the dependency below.")]
    [DynamicDependency(DynamicallyAccessedMemberTypes.PublicParameterlessConstructor, typeof(List<>))]
    private static IList OfList(IList list)
    {
        var copy = (IList)Activator.CreateInstance(list.GetType())!;
        foreach (var element in list)
            copy.Add(Of(element));
        return copy;
    }
}
