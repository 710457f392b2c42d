using System.Net;

namespace Loxo.Transport;

/// <summary>
/// A connected stream of bytes in both directions: a socket, or a simulated one. It is the seam through which the driver
/// touches the network; every blocking wait of a session goes through it. Errors are <see cref="System.Net.Sockets.SocketException"/>.
/// </summary>
internal abstract class ByteChannel : IDisposable
{
    /// <summary>The result of <see cref="Receive"/> and <see cref="TryReceive"/> when nothing arrived.</summary>
    public const int Nothing = -1;

    /// <summary>The other end, so that a cancel request can reach the same server without another name lookup.</summary>
    public abstract EndPoint Remote { get; }

    /// <summary>Sends what fits without waiting and says how many bytes that was.</summary>
    public abstract int TrySend(ReadOnlySpan<byte> bytes);

    /// <summary>Takes what has arrived without waiting: a count, 0 at the end of the stream, or <see cref="Nothing"/>.</summary>
    public abstract int TryReceive(Span<byte> buffer);

    /// <summary>Blocks until bytes arrive: a count, 0 at the end of the stream, or <see cref="Nothing"/> after the time.</summary>
    /// <param name="buffer">Where the bytes go.</param>
    /// <param name="milliseconds">The longest wait; <see cref="Timeout.Infinite"/> for no limit.</param>
    public abstract int Receive(Span<byte> buffer, int milliseconds);

    /// <summary>Blocks until one of <paramref name="wanted"/> holds. <see cref="Readiness.None"/> after the time.</summary>
    public abstract Readiness Wait(Readiness wanted, int milliseconds);

    /// <summary>Awaits bytes: a count, or 0 at the end of the stream.</summary>
    public abstract ValueTask<int> ReceiveAsync(Memory<byte> buffer);

    /// <summary>Sends all bytes, waiting as often as needed. The memory must stay as it is meanwhile.</summary>
    public abstract Task SendAllAsync(ReadOnlyMemory<byte> bytes);

    /// <summary>Ends both directions and wakes all waiting calls. Safe from any thread, any number of times.</summary>
    public abstract void Shutdown();

    /// <inheritdoc/>
    public abstract void Dispose();
}
