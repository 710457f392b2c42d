using System.Collections.Concurrent;
using System.Net;
using Loxo.Transport;

namespace Loxo.IntegrationTests.Exactness;

/// <summary>Connects as another dialer does, through channels that count.</summary>
internal sealed class CountingDialer(Dialer inner) : Dialer
{
    /// <summary>Every channel of a session.</summary>
    public ConcurrentQueue<CountingChannel> Channels { get; } = [];

    public override ByteChannel Dial(TransportSettings settings, Deadline deadline) => Count(inner.Dial(settings, deadline));

    public override async ValueTask<ByteChannel> DialAsync(TransportSettings settings, Deadline deadline, CancellationToken token) =>
        Count(await inner.DialAsync(settings, deadline, token).ConfigureAwait(false));

    public override ByteChannel Redial(EndPoint remote, TransportSettings settings, Deadline deadline) => inner.Redial(remote, settings, deadline);

    public override ValueTask<ByteChannel> RedialAsync(EndPoint remote, TransportSettings settings, Deadline deadline, CancellationToken token) =>
        inner.RedialAsync(remote, settings, deadline, token);

    private CountingChannel Count(ByteChannel channel)
    {
        var counting = new CountingChannel(channel);
        Channels.Enqueue(counting);
        return counting;
    }
}

/// <summary>A channel that shows a <see cref="SyncCount"/> every byte the driver sends and takes.</summary>
internal sealed class CountingChannel(ByteChannel inner) : ByteChannel
{
    private readonly Lock _sending = new();

    public SyncCount Count { get; } = new();

    public override EndPoint Remote => inner.Remote;

    public override IDisposable? MakeGuard() => inner.MakeGuard();

    public override int TrySend(ReadOnlySpan<byte> bytes)
    {
        // Another thread may take the answer before this one has counted what it sent.
        lock (_sending)
        {
            var sent = inner.TrySend(bytes);
            Count.Sent(bytes[..Math.Max(0, sent)]);
            return sent;
        }
    }

    public override int TryReceive(Span<byte> buffer) => Took(buffer, inner.TryReceive(buffer));

    public override int Receive(Span<byte> buffer, int milliseconds) => Took(buffer, inner.Receive(buffer, milliseconds));

    public override Readiness Wait(Readiness wanted, int milliseconds) => inner.Wait(wanted, milliseconds);

    public override async ValueTask<int> ReceiveAsync(Memory<byte> buffer)
    {
        var count = await inner.ReceiveAsync(buffer).ConfigureAwait(false);
        return Took(buffer.Span, count);
    }

    public override Task SendAllAsync(ReadOnlyMemory<byte> bytes)
    {
        // Before they are sent: an answer may be taken before the task is seen to have ended.
        Count.Sent(bytes.Span);
        return inner.SendAllAsync(bytes);
    }

    public override void Shutdown() => inner.Shutdown();

    public override void Dispose() => inner.Dispose();

    private int Took(Span<byte> buffer, int count)
    {
        lock (_sending)
        {
            if (count > 0)
                Count.Received(buffer[..count]);
        }
        return count;
    }
}
