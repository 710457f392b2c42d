using System.Collections.Concurrent;
using System.Net;
using Loxo.Transport;

namespace Loxo.Tests.Wire;

/// <summary>How one attempt to connect goes.</summary>
internal enum Dialing
{
    Succeeds,
    IsRefused,

    /// <summary>No answer: only the deadline ends it.</summary>
    NeverEnds,
}

/// <summary>Connects to a <see cref="ScriptedServer"/>.</summary>
internal sealed class ScriptedDialer(ScriptedServer server) : Dialer
{
    public static readonly EndPoint Address = new IPEndPoint(IPAddress.Parse("192.0.2.1"), 5432);

    private readonly ConcurrentQueue<Dialing> _next = [];
    private readonly CancellationTokenSource _aborted = new();
    private int _hanging;
    private readonly SemaphoreSlim _redials = new(0);

    /// <summary>Where cancel requests went.</summary>
    public ConcurrentQueue<EndPoint> Redialed { get; } = [];

    /// <summary>How many attempts that never end have begun, so that a move of the clock reaches them.</summary>
    public int Hanging => Volatile.Read(ref _hanging);

    /// <summary>How the next attempts go, in order; those after them succeed.</summary>
    public void Next(params Dialing[] dialing)
    {
        foreach (var one in dialing)
            _next.Enqueue(one);
    }

    /// <summary>Blocks until the driver starts to connect for a cancel request.</summary>
    public void AwaitRedial() => _redials.Wait(_aborted.Token);

    public void Abort() => _aborted.Cancel();

    public override ByteChannel Dial(TransportSettings settings, Deadline deadline)
    {
        var dialing = Take();
        if (dialing == Dialing.NeverEnds)
            AwaitEnd(deadline);
        return Finish(dialing, Address, settings);
    }

    public override async ValueTask<ByteChannel> DialAsync(TransportSettings settings, Deadline deadline, CancellationToken token) =>
        await DialAsync(Address, settings, deadline, token);

    public override ByteChannel Redial(EndPoint remote, TransportSettings settings, Deadline deadline)
    {
        Redialed.Enqueue(remote);
        _redials.Release();
        return Dial(settings, deadline);
    }

    public override async ValueTask<ByteChannel> RedialAsync(EndPoint remote, TransportSettings settings, Deadline deadline, CancellationToken token)
    {
        Redialed.Enqueue(remote);
        _redials.Release();
        return await DialAsync(remote, settings, deadline, token);
    }

    private async ValueTask<ByteChannel> DialAsync(EndPoint remote, TransportSettings settings, Deadline deadline, CancellationToken token)
    {
        var dialing = Take();
        if (dialing == Dialing.NeverEnds)
        {
            using var either = CancellationTokenSource.CreateLinkedTokenSource(token, _aborted.Token);
            var end = Task.Delay(deadline.Left, server.Time, either.Token);
            Interlocked.Increment(ref _hanging);
            await end;
        }
        return Finish(dialing, remote, settings);
    }

    private Dialing Take() => _next.TryDequeue(out var dialing) ? dialing : Dialing.Succeeds;

    private ScriptedChannel Finish(Dialing dialing, EndPoint remote, TransportSettings settings) => dialing switch
    {
        Dialing.Succeeds => server.Connect(remote),
        Dialing.IsRefused => throw new PgException("refused", PgErrorCode.ConnectionRefused),
        _ => throw TransportErrors.OpenTimedOut(settings.Host, "connecting"),
    };

    private void AwaitEnd(Deadline deadline)
    {
        // Not disposed: the clock may be telling of its move while this returns.
        var moved = new SemaphoreSlim(0);
        Action onMoved = () => moved.Release();
        server.Time.Moved += onMoved;
        Interlocked.Increment(ref _hanging);
        try
        {
            while (deadline.NextWait != 0)
                moved.Wait(_aborted.Token);
        }
        finally
        {
            server.Time.Moved -= onMoved;
        }
    }
}
