namespace Loxo.Commands;

/// <summary>
/// Looks at the lanes for queries every few milliseconds while commands wait for others. Behind one that takes much longer than usual they
/// do not go on waiting: they run in another lane.
/// </summary>
internal sealed class LaneRelief : IDisposable
{
    /// <summary>A command is waited for so many milliseconds at least.</summary>
    public const int LeastPatience = 10;

    private const int MostPatience = 40;
    private const int Milliseconds = 5;
    // A look comes so late only if this process has had no processor. Then the answers may have arrived unseen.
    private const int LateMilliseconds = 20;

    private readonly LaneSet _set;
    private readonly Timer _timer;
    private int _isDue;
    // In 1/1024 of a millisecond.
    private int _patience = LeastPatience << 10;
    private long _dueSince;

    public LaneRelief(LaneSet set)
    {
        _set = set;
        _timer = new Timer(
            static relief =>
            {
                if (((WeakReference<LaneRelief>)relief!).TryGetTarget(out var target))
                    target.Look();
            },
            new WeakReference<LaneRelief>(this), Timeout.Infinite, Timeout.Infinite);
    }

    /// <summary>For how many milliseconds a command is waited for before those behind it go elsewhere.</summary>
    public int Patience => Volatile.Read(ref _patience) >> 10;

    /// <summary>
    /// The command has ended that others did not go on waiting for. If it was over soon, on a server that is busy for example, they will
    /// wait for longer next time: each of them runs twice on the server.
    /// </summary>
    public void Ended(bool wasSlow) => Have(wasSlow ? _patience / 4 * 3 : _patience * 2);

    /// <summary>A query waits behind another one.</summary>
    public void Watch()
    {
        if (Volatile.Read(ref _isDue) != 0 || Interlocked.Exchange(ref _isDue, 1) != 0)
            return;
        Volatile.Write(ref _dueSince, Environment.TickCount64);
        _timer.Change(Milliseconds, Timeout.Infinite);
    }

    public void Dispose() => _timer.Dispose();

    // Lanes that do so at the same time need not see each other's.
    private void Have(int patience) => Volatile.Write(ref _patience, Math.Clamp(patience, LeastPatience << 10, MostPatience << 10));

    private void Look()
    {
        var isLate = Environment.TickCount64 - Volatile.Read(ref _dueSince) > LateMilliseconds;
        Interlocked.Exchange(ref _isDue, 0);
        Have(_patience - (_patience / 512));
        if (_set.Relieve(moves: !isLate))
            Watch();
    }
}
