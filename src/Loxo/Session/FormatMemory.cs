using System.Collections.Concurrent;
using Loxo.Protocol;

namespace Loxo.Session;

/// <summary>
/// The formats in which the results of unnamed statements have to be asked for, by text, as far as they are not binary throughout: a data
/// source asks once in vain, and from then on right away. It never decides how a value is decoded; each answer's own description does.
/// </summary>
internal sealed class FormatMemory
{
    // Such texts are few; one that is made anew each time would only push out the others.
    private const int MostTexts = 1000;
    private const int LongestText = 32 * 1024;

    private readonly ConcurrentDictionary<string, Entry> _entries = new(StringComparer.Ordinal);

    // Most data sources never meet such a column, and their commands should not pay for hashing their text.
    private volatile bool _isEmpty = true;

    /// <summary>The formats for each column; empty when nothing is known, for binary throughout.</summary>
    public FormatCode[] Find(string sql, ReadOnlySpan<uint> parameterTypes) =>
        !_isEmpty && _entries.TryGetValue(sql, out var entry) && parameterTypes.SequenceEqual(entry.ParameterTypes) ? entry.Formats : [];

    /// <summary>Remembers what the server's description asks for; an empty list forgets the text.</summary>
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
