using System.Diagnostics;

namespace Loxo.Diagnostics;

/// <summary>The counters of one statement. Thread-safe.</summary>
/// <param name="others">Counts what is recorded after the eviction; null if there is none.</param>
/// <param name="text">The statement without literals.</param>
/// <param name="parameters">The number of its parameters.</param>
/// <param name="isPlannable">Whether the server plans it.</param>
internal sealed class StatementCounters(StatementCounters? others, string text, int parameters = 0, bool isPlannable = false)
{
    private readonly Lock _lock = new();
    private readonly DurationHistogram _durations = new();
    private volatile bool _isEvicted;
    // Replaced, never changed.
    private uint[] _types = new uint[parameters];
    private long _lastUse = Stopwatch.GetTimestamp();
    private long _calls;
    private long _errors;
    private long _rows;
    private long _ticks;
    private long _longest;

    public string Text => text;

    /// <summary>Whether the counters were dropped to make room: the next execution of the statement needs others.</summary>
    public bool IsEvicted => _isEvicted;

    /// <summary>When the statement last ended, by <see cref="Stopwatch.GetTimestamp"/>: a clock that nobody sets.</summary>
    public long LastUse => Volatile.Read(ref _lastUse);

    /// <summary>The text of its latest execution, literals included; null if it is too long to be kept.</summary>
    public string? Executable { get; set; }

    /// <summary>An execution has these types of parameters. The first ones that are known stay.</summary>
    public void LearnTypes(ReadOnlySpan<uint> types)
    {
        if (types.Length == _types.Length && _types.AsSpan().Contains(0u) && types.ContainsAnyExcept(0u) && !types.SequenceEqual(_types))
            _types = types.ToArray();
    }

    /// <summary>Counts an execution.</summary>
    /// <param name="ticks">Its duration.</param>
    /// <param name="rows">The rows that it has returned or changed.</param>
    /// <param name="isFailed">Whether it ended with an error.</param>
    public void Record(long ticks, long rows, bool isFailed)
    {
        lock (_lock)
        {
            if (!_isEvicted)
            {
                _lastUse = Stopwatch.GetTimestamp();
                _calls++;
                _errors += isFailed ? 1 : 0;
                _rows += rows;
                _ticks += ticks;
                _longest = Math.Max(_longest, ticks);
                _durations.Add(ticks);
                return;
            }
        }
        others!.Record(ticks, rows, isFailed);
    }

    /// <summary>Moves the counts to those of the other statements.</summary>
    public void Evict()
    {
        lock (_lock)
        {
            _isEvicted = true;
            others!.Add(this);
        }
    }

    public PgStatementCounts Read()
    {
        lock (_lock)
        {
            return new PgStatementCounts
            {
                Text = text,
                Executable = Executable,
                ParameterTypes = _types,
                IsPlannable = isPlannable,
                Calls = _calls,
                Errors = _errors,
                Rows = _rows,
                TotalTime = new TimeSpan(_ticks),
                MaxTime = new TimeSpan(_longest),
                MedianTime = new TimeSpan(Math.Min(_longest, _durations.Percentile(0.5))),
                Percentile99Time = new TimeSpan(Math.Min(_longest, _durations.Percentile(0.99))),
                LastUsed = DateTimeOffset.UtcNow - Stopwatch.GetElapsedTime(_lastUse),
            };
        }
    }

    private void Add(StatementCounters evicted)
    {
        lock (_lock)
        {
            _lastUse = Math.Max(_lastUse, evicted._lastUse);
            _calls += evicted._calls;
            _errors += evicted._errors;
            _rows += evicted._rows;
            _ticks += evicted._ticks;
            _longest = Math.Max(_longest, evicted._longest);
            _durations.Add(evicted._durations);
        }
    }
}
