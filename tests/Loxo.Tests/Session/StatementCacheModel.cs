using Loxo.Protocol.Frontend;
using Loxo.Session;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>What a <see cref="StatementCache"/> promises, written as plainly as possible: lists that are searched from end to end.</summary>
internal sealed class StatementCacheModel(int most, int minUsages)
{
    private readonly List<Entry> _entries = [];
    private long _now;

    public int Count => _entries.Count(entry => entry.State != State.Candidate);

    /// <summary>The statement that runs by its name, or null.</summary>
    public Entry? Use(string sql, uint[] types, long flight, bool atOnce)
    {
        var entry = Find(sql, types);
        if (entry is null && most == 0)
            return null;
        if (entry is null)
            _entries.Add(entry = new Entry(sql, types));
        entry.UsedAt = ++_now;
        if (entry.State == State.Candidate)
        {
            if ((++entry.Uses < minUsages && !atOnce) || most == 0 || !TryMakeRoom(flight))
                return null;
            entry.State = State.Prepared;
        }
        entry.Flight = flight;
        return entry;
    }

    public Entry Hold(string sql, uint[] types)
    {
        var entry = Find(sql, types);
        if (entry is null)
            _entries.Add(entry = new Entry(sql, types) { UsedAt = ++_now });
        entry.State = State.Explicit;
        return entry;
    }

    public bool FindExplicit(string sql, uint[] types) => Find(sql, types) is { State: State.Explicit };

    public void Remove(string sql, uint[] types) => _entries.RemoveAll(entry => entry.Sql == sql && entry.Types.SequenceEqual(types));

    /// <summary>The names that the next flight closes first.</summary>
    public static List<string> Closes(StatementCache cache, bool areSent)
    {
        List<string> names = [.. cache.TakeCloses()];
        if (areSent)
            cache.ClosesSent();
        return names;
    }

    private Entry? Find(string sql, uint[] types) => _entries.Find(entry => entry.Sql == sql && entry.Types.SequenceEqual(types));

    private bool TryMakeRoom(long flight)
    {
        while (_entries.Where(entry => entry.State == State.Prepared).OrderBy(entry => entry.UsedAt).ToList() is var prepared && prepared.Count >= most)
        {
            if (prepared[0].Flight == flight)
                return false;
            _entries.Remove(prepared[0]);
        }
        return true;
    }

    internal enum State
    {
        Candidate,
        Prepared,
        Explicit,
    }

    internal sealed record Entry(string Sql, uint[] Types)
    {
        public State State { get; set; }

        public int Uses { get; set; }

        public long UsedAt { get; set; }

        public long Flight { get; set; } = -1;
    }
}
