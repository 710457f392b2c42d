namespace Loxo.Diagnostics;

/// <summary>The statements of one command, batch or copy, for their statistics. It is used again and again.</summary>
/// <param name="recorder">Where their executions are counted.</param>
internal sealed class OperationStatements(StatementRecorder recorder)
{
    // A long batch must not keep its memory.
    private const int MostKept = 256;

    private Item[] _items = new Item[1];
    private int _count;

    private enum Outcome : byte
    {
        Unknown,
        Complete,
        Failed,
    }

    /// <summary>Another operation begins.</summary>
    public void Clear()
    {
        _count = 0;
        if (_items.Length > MostKept)
            _items = new Item[1];
    }

    public void Add(StatementCounters counters)
    {
        if (_count == _items.Length)
            Array.Resize(ref _items, 2 * _count);
        _items[_count++] = new Item { Counters = counters };
    }

    /// <summary>A statement has run to its end.</summary>
    /// <param name="statement">Its index.</param>
    /// <param name="rows">The rows that it has returned or changed.</param>
    public void Complete(int statement, long rows)
    {
        if ((uint)statement < (uint)_count)
            (_items[statement].Outcome, _items[statement].Rows) = (Outcome.Complete, rows);
    }

    /// <summary>The server has refused a statement.</summary>
    /// <param name="statement">Its index.</param>
    /// <param name="kind">SQLSTATE.</param>
    public void Fail(int statement, string kind)
    {
        if ((uint)statement < (uint)_count)
            (_items[statement].Outcome, _items[statement].Error) = (Outcome.Failed, kind);
        else
            recorder.CountError(kind);
    }

    /// <summary>The operation is over: counts the statements that have run, each with an equal share of the time.</summary>
    /// <param name="elapsed">The time of the operation.</param>
    /// <param name="error">Its error; null for none.</param>
    public void End(TimeSpan elapsed, Exception? error)
    {
        var items = _items.AsSpan(0, _count);
        var failed = IndexOf(items, Outcome.Failed);
        if (error is not null && failed < 0)
        {
            failed = IndexOf(items, Outcome.Unknown);
            Fail(failed, OperationTrace.ErrorType(error));
        }
        // The server undoes the statements in front of the failed one, and skips those behind it.
        var ran = 0;
        for (var i = 0; i < items.Length; i++)
            ran += (items[i].HasRun = failed < 0 || i <= failed || items[i].Outcome != Outcome.Unknown) ? 1 : 0;
        foreach (ref var item in items)
        {
            if (!item.HasRun)
                continue;
            item.Counters.Record(elapsed.Ticks / ran, item.Rows, item.Outcome == Outcome.Failed);
            if (item.Error is { } kind)
                recorder.CountError(kind);
        }
    }

    private static int IndexOf(ReadOnlySpan<Item> items, Outcome outcome)
    {
        for (var i = 0; i < items.Length; i++)
        {
            if (items[i].Outcome == outcome)
                return i;
        }
        return -1;
    }

    private struct Item
    {
        public StatementCounters Counters;
        public long Rows;
        public string? Error;
        public bool HasRun;
        public Outcome Outcome;
    }
}
