namespace Loxo.Pooling.Core;

/// <summary>
/// One timer, set to the earliest of the times that were asked for. It keeps alive neither the pool nor the AsyncLocals of the caller that
/// set it first.
/// </summary>
internal sealed class Alarm(TimeProvider time, Clock clock) : IDisposable
{
    private readonly Lock _setting = new();
    private ITimer? _timer;
    private long _setFor = long.MaxValue;
    private bool _disposed;

    public event Action? Elapsed;

    /// <summary>Raises <see cref="Elapsed"/> once, at this time of the clock or soon after.</summary>
    public void SetFor(long due)
    {
        if (due >= Volatile.Read(ref _setFor))
            return;
        using (Uninterrupted.Hold(_setting))
        {
            if (_disposed || due >= _setFor)
                return;
            _setFor = due;
            Uninterrupted.Run(static it => it.alarm.SetTimer(it.due), (alarm: this, due));
        }
    }

    public void Dispose()
    {
        using (Uninterrupted.Hold(_setting))
        {
            _disposed = true;
            Uninterrupted.Run(static timer => timer?.Dispose(), _timer);
        }
    }

    private void SetTimer(long due)
    {
        _timer ??= CreateTimer();
        _timer.Change(TimeSpan.FromMilliseconds(Math.Clamp(due - clock.Now, 0, int.MaxValue)), Timeout.InfiniteTimeSpan);
    }

    private ITimer CreateTimer()
    {
        using AsyncFlowControl? noFlow = ExecutionContext.IsFlowSuppressed() ? null : ExecutionContext.SuppressFlow();
        return time.CreateTimer(
            static state =>
            {
                if (((WeakReference<Alarm>)state!).TryGetTarget(out var alarm))
                    alarm.OnTimer();
            },
            new WeakReference<Alarm>(this), Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    private void OnTimer()
    {
        using (Uninterrupted.Hold(_setting))
        {
            if (_disposed)
                return;
            Volatile.Write(ref _setFor, long.MaxValue);
        }
        Elapsed?.Invoke();
    }
}
