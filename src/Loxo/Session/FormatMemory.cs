using System.Collections.Concurrent;
using Loxo.Protocol;

namespace Loxo.Session;

/// <summary>
/// The formats to request for the results of unnamed statements, by text, where not all columns are binary: a data source requests the
/// wrong formats once at most. Values are always decoded by the description that comes with them.
/// </summary>
internal sealed class FormatMemory
{
    // Such texts are few; a text that is generated anew each time would only evict the others.
    private const int MostTexts = 1000;
    private const int LongestText = 32 * 1024;

    private readonly ConcurrentDictionary<string, Entry> _entries = new(StringComparer.Ordinal);

    // Most data sources never meet such a column, and their commands should not pay for hashing their text.
    private volatile bool _isEmpty = true;

    /// <summary>The formats for each column; empty for binary in all columns, or if the text is not known.</summary>
    public FormatCode[] Find(string sql, ReadOnlySpan<uint> parameterTypes) =>
        !_isEmpty && _entries.TryGetValue(sql, out var entry) && parameterTypes.SequenceEqual(entry.ParameterTypes) ? entry.Formats : [];

    /// <summary>Stores the formats for a text; an empty list removes the text.</summary>
    public void Keep(string sql, ReadOnlySpan<uint> parameterTypes, FormatCode[] formats)
    {
        if (formats.Length == 0)
        {
            _entries.TryRemove(sql, out _);
            return;
        }
        if (sql.Length > LongestText)
            return;
        if (_entries.Count >= MostTexts)
            _entries.Clear();
        _entries[sql] = new Entry(parameterTypes.ToArray(), formats);
        _isEmpty = false;
    }

    private sealed record Entry(uint[] ParameterTypes, FormatCode[] Formats);
}
