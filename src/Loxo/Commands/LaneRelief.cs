using System.Diagnostics;
using Loxo.Transport;

namespace Loxo.Commands;

/// <summary>
/// Looks at the lanes for queries every few milliseconds while commands wait for others. Behind one that takes much longer than usual they
/// do not go on waiting: they run in another lane.
/// </summary>
internal sealed class LaneRelief(LaneSet set) : IWatched
{
    /// <summary>A command is waited for so many milliseconds at least.</summary>
    public const int LeastPatience = 10;

    private const int MostPatience = 40;
    private const int Milliseconds = 5;
    // A look comes so late only if this process has had no processor. Then the answers may have arrived unseen.
    private const int LateMilliseconds = 20;

    private int _isWatched;
    // In 1/1024 of a millisecond.
    private int _patience = LeastPatience << 10;
    private long _lookedAt;

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
        if (Volatile.Read(ref _isWatched) != 0 || Interlocked.Exchange(ref _isWatched, 1) != 0)
            return;
        Volatile.Write(ref _lookedAt, Stopwatch.GetTimestamp());
        if (!set.Crew.TryWatch(this))
            Volatile.Write(ref _isWatched, 0);
    }

    /// <inheritdoc/>
    public bool Look()
    {
        var time = Stopwatch.GetElapsedTime(Volatile.Read(ref _lookedAt)).TotalMilliseconds;
        if (time < Milliseconds)
            return true;
        Volatile.Write(ref _lookedAt, Stopwatch.GetTimestamp());
        Have(_patience - (_patience / 512));
        if (set.Relieve(moves: time <= LateMilliseconds))
            return true;
        Interlocked.Exchange(ref _isWatched, 0);
        // Whoever has added a query since the lanes were looked at relied on being watched.
        return set.Relieve(moves: false) && Interlocked.Exchange(ref _isWatched, 1) == 0;
    }

    // Lanes that do so at the same time need not see each other's.
    private void Have(int patience) => Volatile.Write(ref _patience, Math.Clamp(patience, LeastPatience << 10, MostPatience << 10));
}
