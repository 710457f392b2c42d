using System.Diagnostics;

namespace Loxo.Transport;

/// <summary>
/// How long a blocking receive looks for input before it sleeps. Where the answers mostly take longer, it looks in one of many receives
/// only, to find out whether that has changed. Between two looks others may have the processor, and where several threads wait, none looks.
/// </summary>
/// <param name="microseconds">0 for never.</param>
/// <param name="threads">The threads that wait, with the one that asks.</param>
internal sealed class ReceiveSpin(int microseconds, WaitingThreads threads)
{
    private const int MostVain = 4;
    private const int Skipped = 32;

    private readonly long _ticks = microseconds * Stopwatch.Frequency / 1_000_000;
    private int _vain;
    private int _skipped;

    /// <summary>A receive begins: whether it is to look at all.</summary>
    public bool TryBegin() => _ticks > 0 && threads.IsProcessorSpare && (_vain < MostVain || ++_skipped >= Skipped);

    /// <summary>Looks until something has come, the time is over, or another thread waits.</summary>
    /// <param name="channel">Where to look.</param>
    /// <param name="buffer">Takes what has come.</param>
    /// <returns>A count, 0 at the end of the stream, or <see cref="ByteChannel.Nothing"/>.</returns>
    public int TryReceive(ByteChannel channel, Span<byte> buffer)
    {
        _skipped = 0;
        var end = Stopwatch.GetTimestamp() + _ticks;
        int received;
        while ((received = channel.TryReceive(buffer)) == ByteChannel.Nothing && threads.IsProcessorSpare && Stopwatch.GetTimestamp() < end)
            Thread.Yield();
        _vain = received == ByteChannel.Nothing ? Math.Min(_vain + 1, MostVain) : 0;
        return received;
    }
}
