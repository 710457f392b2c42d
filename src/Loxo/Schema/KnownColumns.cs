using System.Collections.Concurrent;
using Loxo.Session;

namespace Loxo.Schema;

/// <summary>
/// The facts of columns that were read from a database. They are used for <see cref="Lifetime"/>, since the server tells nobody that
/// another program has changed a table, and no longer than until a connection of the data source sends a definition. A transaction that may
/// have changed something itself has no use for them: it asks.
/// </summary>
internal sealed class KnownColumns
{
    /// <summary>How long facts are used.</summary>
    public static readonly TimeSpan Lifetime = TimeSpan.FromSeconds(10);

    // A column has about 300 bytes.
    private const int Most = 10_000;

    private readonly ConcurrentDictionary<(uint Table, short Number), (ColumnFacts Facts, long Definitions, long Read)> _columns = new();

    /// <summary>The facts of a column; null if they have to be read.</summary>
    public ColumnFacts? Find((uint Table, short Number) column, ServerSession session) =>
        IsUsableIn(session) && _columns.TryGetValue(column, out var known)
            && known.Definitions == session.Context.Database.Definitions && session.Context.Time.GetElapsedTime(known.Read) < Lifetime
            ? known.Facts
            : null;

    /// <summary>Keeps facts that the session has read.</summary>
    /// <param name="facts">The facts.</param>
    /// <param name="session">Where they were read.</param>
    /// <param name="definitions"><see cref="DatabaseKnowledge.Definitions"/> before they were asked for.</param>
    public void Keep(ColumnFacts facts, ServerSession session, long definitions)
    {
        if (!IsUsableIn(session))
            return;
        if (_columns.Count >= Most)
            _columns.Clear();
        _columns[(facts.Table, facts.Number)] = (facts, definitions, session.Context.Time.GetTimestamp());
    }

    private static bool IsUsableIn(ServerSession session) => session.Effects.OfTransaction == SessionChanges.None;
}
