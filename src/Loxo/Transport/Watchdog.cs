namespace Loxo.Transport;

/// <summary>Bounds waits by one timer, set again only when it fires too early: a timely wait costs two interlocked writes.</summary>
internal sealed class Watchdog(TimeProvider time, IWireOwner owner) : IDisposable
{
    private readonly Lock _arming = new();
    private ITimer? _timer;
    private long _dueAt;
    private long _armedFor;
    private int _firing;
    private bool _disposed;

    /// <summary>A wait begins that may last <paramref name="milliseconds"/>; infinite waits are not watched.</summary>
    public void Begin(int milliseconds)
    {
        if (milliseconds == Timeout.Infinite)
            return;
        var due = Now() + milliseconds + 1;
        Interlocked.Exchange(ref _dueAt, due);
        var armedFor = Volatile.Read(ref _armedFor);
        if (armedFor == 0 || armedFor > due)
            Arm(due);
    }

    /// <summary>The wait is over. When this returns, no interruption of it is under way any more.</summary>
    public void End()
    {
        Interlocked.Exchange(ref _dueAt, 0);
        var spin = default(SpinWait);
        while (Volatile.Read(ref _firing) != 0)
            spin.SpinOnce();
    }

    public void Dispose()
    {
        lock (_arming)
        {
            _disposed = true;
            _timer?.Dispose();
        }
    }

    private long Now() => time == TimeProvider.System
        ? Environment.TickCount64
        : (long)time.GetElapsedTime(0, time.GetTimestamp()).TotalMilliseconds;

    private void Arm(long due)
    {
        lock (_arming)
        {
            if (_disposed)
                return;
            Interlocked.Exchange(ref _armedFor, due);
            _timer ??= CreateTimer();
            _timer.Change(TimeSpan.FromMilliseconds(Math.Max(1, due - Now())), Timeout.InfiniteTimeSpan);
        }
    }

    // The timer lives as long as the session; it must not keep the first caller's AsyncLocals alive with it.
    private ITimer CreateTimer()
    {
        using AsyncFlowControl? suppressed = ExecutionContext.IsFlowSuppressed() ? null : ExecutionContext.SuppressFlow();
        return time.CreateTimer(static state => ((Watchdog)state!).OnTimer(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    private void OnTimer()
    {
        // A count: a timer that is set again here may fire again before this call is over.
        Interlocked.Increment(ref _firing);
        try
        {
            Interlocked.Exchange(ref _armedFor, 0);
            var due = Interlocked.Read(ref _dueAt);
            if (due == 0)
                return;
            if (Now() < due)
                Arm(due);
            else if (Interlocked.CompareExchange(ref _dueAt, 0, due) == due)
                owner.WaitTimedOut();
        }
        finally
        {
            Interlocked.Decrement(ref _firing);
        }
    }
}
