namespace Loxo.Transport;

/// <summary>
/// Whether something may have come on a socket that reports each arrival once, and whether a receive waits for it. The two sides are the
/// one caller that receives and whoever takes the reports.
/// </summary>
internal sealed class InputSignal
{
    private const int Quiet = 0;
    private const int Ready = 1;
    private const int Waiting = 2;

    private int _state;

    /// <summary>Something may have come since the last receive began.</summary>
    public bool IsReady => Volatile.Read(ref _state) == Ready;

    /// <summary>Something has come.</summary>
    /// <returns>Whether a receive has waited for it. It waits no longer, and is to be resumed.</returns>
    public bool Report()
    {
        while (Interlocked.CompareExchange(ref _state, Ready, Quiet) == Waiting)
        {
            if (TryEndWait())
                return true;
        }
        return false;
    }

    /// <summary>A receive begins: what comes from here on is reported again.</summary>
    public void Reset() => Interlocked.Exchange(ref _state, Quiet);

    /// <summary>The receive may have left something.</summary>
    public void Keep() => Interlocked.CompareExchange(ref _state, Ready, Quiet);

    /// <summary>The receive has found nothing, and begins to wait. False if something has come meanwhile.</summary>
    public bool TryWait() => Interlocked.CompareExchange(ref _state, Waiting, Quiet) == Quiet;

    /// <summary>Ends the wait without a report. False if no receive waits, or one that is being resumed.</summary>
    public bool TryEndWait() => Interlocked.CompareExchange(ref _state, Quiet, Waiting) == Waiting;
}
