using System.Collections.Concurrent;

namespace Loxo.Session;

/// <summary>
/// The types of the columns that were copied before, by table or query. They tell whether COPY can be sent together with the lookup of its
/// columns, because all types are known already; values are always encoded by the answer to that lookup.
/// </summary>
internal sealed class CopyMemory
{
    // A text that is generated anew each time would only evict the others.
    private const int MostTargets = 1000;

    private readonly ConcurrentDictionary<string, uint[]> _types = new(StringComparer.Ordinal);

    /// <summary>The types of the columns; null if the target is not known.</summary>
    public uint[]? Find(string target) => _types.GetValueOrDefault(target);

    /// <summary>Stores the types.</summary>
    public void Keep(string target, IEnumerable<CopyColumn> columns)
    {
        if (_types.Count >= MostTargets)
            _types.Clear();
        _types[target] = [.. columns.Select(column => column.TypeOid).Distinct()];
    }
}
