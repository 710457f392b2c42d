using System.Collections.Concurrent;

namespace Loxo.Sql;

/// <summary>Finds by reference first, since most texts are literals, then by value, without a lock; evicts by second chance.</summary>
internal sealed class SqlTextCache(int maxTexts = 1024, int maxCharacters = 4 * 1024 * 1024)
{
    /// <summary>Longer texts are lexed each time: they are rarely repeated, and lexing is small beside sending them.</summary>
    public const int LongestText = 256 * 1024;

    // Bounds the time under the lock when all texts are in use: going round all of them would cost more than lexing one again.
    private const int MostChances = 64;

    private readonly Map[] _maps = [new(), new(), new(), new()];
    private readonly Queue<Entry> _queue = new();
    private readonly Lock _lock = new();
    private long _characters;

    /// <summary>The number of texts that are kept.</summary>
    public int Count
    {
        get
        {
            lock (_lock)
                return _queue.Count;
        }
    }

    public SqlText Get(string text, bool standardConformingStrings, bool splitAndReplace = true)
    {
        var map = _maps[(splitAndReplace ? 2 : 0) + (standardConformingStrings ? 1 : 0)];
        if (map.Find(text) is { } found)
            return found.Lexed;
        var lexed = SqlText.Lex(text, standardConformingStrings, splitAndReplace);
        return text.Length > LongestText ? lexed : Add(new Entry(map, lexed));
    }

    private SqlText Add(Entry entry)
    {
        lock (_lock)
        {
            if (!entry.Map.TryAdd(entry))
                return entry.Map.Find(entry.Lexed.Text)?.Lexed ?? entry.Lexed; // another thread was first
            _queue.Enqueue(entry);
            _characters += entry.Weight;
            while (_queue.Count > maxTexts || _characters > maxCharacters)
                Evict();
            return entry.Lexed;
        }
    }

    private void Evict()
    {
        var entry = _queue.Dequeue();
        for (var chances = 1; chances < MostChances && entry.TakeChance(); chances++)
        {
            _queue.Enqueue(entry);
            entry = _queue.Dequeue();
        }
        entry.Map.Remove(entry);
        _characters -= entry.Weight;
    }

    private sealed class Entry(Map map, SqlText lexed)
    {
        private bool _wasFound;

        public Map Map { get; } = map;

        public SqlText Lexed { get; } = lexed;

        public int Weight { get; } = lexed.Weight;

        // Read before written, so that a text found by all threads does not move its cache line between them.
        public void GiveChance()
        {
            if (!_wasFound)
                _wasFound = true;
        }

        public bool TakeChance()
        {
            var had = _wasFound;
            _wasFound = false;
            return had;
        }
    }

    /// <summary>A thread that loses a race with the eviction may leave a text in its slot: the right answer, and bounded.</summary>
    private sealed class Map
    {
        private const int Slots = 256;

        private readonly ConcurrentDictionary<string, Entry> _entries = new(StringComparer.Ordinal);
        private readonly Entry?[] _recent = new Entry?[Slots];

        public Entry? Find(string text)
        {
            ref var slot = ref SlotOf(text);
            var entry = slot;
            if (entry is null || !ReferenceEquals(entry.Lexed.Text, text))
            {
                if (!_entries.TryGetValue(text, out entry))
                    return null;
                if (ReferenceEquals(entry.Lexed.Text, text))
                    slot = entry;
            }
            entry.GiveChance();
            return entry;
        }

        public bool TryAdd(Entry entry) => _entries.TryAdd(entry.Lexed.Text, entry);

        public void Remove(Entry entry)
        {
            _entries.TryRemove(entry.Lexed.Text, out _);
            ref var slot = ref SlotOf(entry.Lexed.Text);
            if (ReferenceEquals(slot, entry))
                slot = null;
        }

        private ref Entry? SlotOf(string text) => ref _recent[RuntimeHelpers.GetHashCode(text) & (Slots - 1)];
    }
}
