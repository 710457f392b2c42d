namespace Loxo.Transport;

/// <summary>Lets one caller of a <see cref="Wire"/> wait, blocking or asynchronously, while another one receives for both.</summary>
internal sealed class Turn
{
    // An object and not a Lock, which cannot be waited on.
    private readonly object _monitor = new();
    private TaskCompletionSource? _awaited;
    private bool _isGiven;

    /// <summary>Whether the caller waits no longer.</summary>
    public bool HasEnded { get; private set; }

    /// <summary>Another caller that waits for the same exchange; null for none. The <see cref="FlightQueue"/> uses it.</summary>
    public Turn? Next { get; set; }

    /// <summary>
    /// Ends the caller's wait: its pump returns <see cref="Protocol.Progress.NeedMore"/>, and the connection can be used. A call that
    /// blocks while it receives ends by its deadline instead.
    /// </summary>
    public void End()
    {
        HasEnded = true;
        Give();
    }

    /// <summary>Wakes the caller. If it does not wait yet, its next wait ends at once.</summary>
    public void Give()
    {
        lock (_monitor)
        {
            if (_awaited is not null)
            {
                _awaited.TrySetResult();
                _awaited = null;
                return;
            }
            _isGiven = true;
            Monitor.Pulse(_monitor);
        }
    }

    /// <summary>Blocks until the turn is given. False when the time is over.</summary>
    /// <param name="milliseconds"><see cref="Timeout.Infinite"/> for no limit.</param>
    public bool Wait(int milliseconds)
    {
        lock (_monitor)
        {
            var inTime = _isGiven || Monitor.Wait(_monitor, milliseconds);
            _isGiven = false;
            return inTime;
        }
    }

    /// <summary>Completes when the turn is given.</summary>
    public Task WaitAsync()
    {
        lock (_monitor)
        {
            if (!_isGiven)
                return (_awaited ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
            _isGiven = false;
            return Task.CompletedTask;
        }
    }

    /// <summary>The task of <see cref="WaitAsync"/> is awaited no more: a turn given from here on is kept for the next wait.</summary>
    public void EndWait()
    {
        lock (_monitor)
            _awaited = null;
    }
}
