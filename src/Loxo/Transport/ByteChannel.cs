using System.Net;

namespace Loxo.Transport;

/// <summary>A socket, or a simulated one: every blocking wait of a session goes through it. Errors are SocketExceptions.</summary>
internal abstract class ByteChannel : IDisposable
{
    public const int Nothing = -1;

    /// <summary>The other end, so that a cancel request can reach the same server without another name lookup.</summary>
    public abstract EndPoint Remote { get; }

    /// <summary>
    /// Whether the runtime watches the handle as well: then bytes that arrive for a blocking call wake two more of its threads for nothing.
    /// </summary>
    public virtual bool IsWatched => false;

    /// <summary>
    /// An object that closes the channel when it is finalized, for whoever uses the channel; null if nothing else keeps the channel alive.
    /// </summary>
    public virtual IDisposable? MakeGuard() => null;

    public abstract int TrySend(ReadOnlySpan<byte> bytes);

    /// <summary>Takes what has arrived without waiting: a count, 0 at the end of the stream, or <see cref="Nothing"/>.</summary>
    public abstract int TryReceive(Span<byte> buffer);

    /// <summary>Blocks until bytes arrive: a count, 0 at the end of the stream, or <see cref="Nothing"/> after the time.</summary>
    public abstract int Receive(Span<byte> buffer, int milliseconds);

    /// <summary>Blocks until one of <paramref name="wanted"/> holds. <see cref="Readiness.None"/> after the time.</summary>
    public abstract Readiness Wait(Readiness wanted, int milliseconds);

    /// <summary>Awaits bytes: a count, or 0 at the end of the stream.</summary>
    public abstract ValueTask<int> ReceiveAsync(Memory<byte> buffer);

    /// <summary>Sends all bytes, waiting as often as needed. The memory must stay as it is meanwhile.</summary>
    public abstract Task SendAllAsync(ReadOnlyMemory<byte> bytes);

    /// <summary>Ends both directions and wakes all waiting calls. Safe from any thread, any number of times.</summary>
    public abstract void Shutdown();

    public abstract void Dispose();
}

[Flags]
internal enum Readiness
{
    None = 0,
    Readable = 1,
    Writable = 2,
}
