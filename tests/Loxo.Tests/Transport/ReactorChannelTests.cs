using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using Loxo.Transport;

namespace Loxo.Tests.Transport;

/// <summary>Sockets that wait in a reactor, beside a peer that uses the runtime's sockets.</summary>
[TestFixture(ReactorContinuations.Inline), TestFixture(ReactorContinuations.ThreadPool)]
[Platform("Linux")]
public sealed class ReactorChannelTests(ReactorContinuations continuations)
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    private readonly List<IDisposable> _opened = [];

    [TearDown]
    public void Close()
    {
        foreach (var opened in _opened)
            opened.Dispose();
        _opened.Clear();
    }

    [Test]
    public async Task Every_byte_arrives_once_whatever_the_pieces([Values] bool isUnix, [Range(1, 6)] int seed)
    {
        var random = new Random(seed);
        var (channel, peer) = await Connect(isUnix);
        var sent = RandomNumberGenerator.GetBytes(400_000);
        var sending = Task.Run(async () =>
        {
            var pieces = new Random(seed);
            for (var at = 0; at < sent.Length;)
            {
                var count = Math.Min(pieces.Next(1, pieces.Next(2) == 0 ? 20 : 9_000), sent.Length - at);
                await peer.SendAsync(sent.AsMemory(at, count));
                at += count;
                if (pieces.Next(4) == 0)
                    await Task.Yield();
            }
            peer.Shutdown(SocketShutdown.Send);
        });
        var received = new MemoryStream();
        while (true)
        {
            var buffer = new byte[random.Next(1, random.Next(2) == 0 ? 50 : 20_000)];
            var count = random.Next(3) switch
            {
                0 => channel.Receive(buffer, 60_000),
                1 => channel.TryReceive(buffer),
                _ => await channel.ReceiveAsync(buffer).AsTask().WaitAsync(Patience),
            };
            if (count == 0)
                break;
            if (count != ByteChannel.Nothing)
                received.Write(buffer, 0, count);
        }
        await sending;
        Assert.That(received.ToArray(), Is.EqualTo(sent));
        // The end stays the end.
        Assert.That(await channel.ReceiveAsync(new byte[10]).AsTask().WaitAsync(Patience), Is.Zero);
    }

    [Test]
    public async Task What_does_not_fit_is_sent_when_the_peer_reads([Values] bool isUnix)
    {
        var (channel, peer) = await Connect(isUnix);
        var sent = RandomNumberGenerator.GetBytes(20_000_000);
        var sending = channel.SendAllAsync(sent);
        Assert.That(sending.IsCompleted, Is.False);
        // Meanwhile both directions are waited for.
        var receiving = channel.ReceiveAsync(new byte[10]).AsTask();
        await peer.SendAsync(new byte[] { 1, 2, 3 });
        Assert.That(await receiving.WaitAsync(Patience), Is.EqualTo(3));
        var received = new byte[sent.Length];
        await Task.Run(() =>
        {
            for (var at = 0; at < received.Length;)
                at += peer.Receive(received.AsSpan(at));
        });
        await sending.WaitAsync(Patience);
        Assert.That(received.AsSpan().SequenceEqual(sent), Is.True);
        receiving = channel.ReceiveAsync(new byte[10]).AsTask();
        await peer.SendAsync(new byte[] { 4 });
        Assert.That(await receiving.WaitAsync(Patience), Is.EqualTo(1));
    }

    // The receive finds the socket unwatched and registers it just after the send has done so.
    [Test]
    public async Task A_receive_that_begins_beside_a_send_leaves_its_registration()
    {
        var (channel, peer) = await Connect(isUnix: true);
        peer.Send([1]);
        // A blocking call takes the registration back.
        Assert.That(channel.Receive(new byte[1], 60_000), Is.EqualTo(1));
        var sent = RandomNumberGenerator.GetBytes(5_000_000);
        var (sending, receiving) = BeginBoth((ReactorChannel)channel, sent, new byte[10]);
        var received = new byte[sent.Length];
        await Task.Run(() =>
        {
            for (var at = 0; at < received.Length;)
                at += peer.Receive(received.AsSpan(at));
        }).WaitAsync(Patience);
        await sending.WaitAsync(Patience);
        Assert.That(received.AsSpan().SequenceEqual(sent), Is.True);
        peer.Send([2]);
        Assert.That(await receiving.WaitAsync(Patience), Is.EqualTo(1));
    }

    // Each stops where it registers the socket. The system lets them go on in the order in which they have come.
    private static (Task Sending, Task<int> Receiving) BeginBoth(ReactorChannel channel, byte[] bytes, byte[] buffer)
    {
        Task? sending = null;
        Task<int>? receiving = null;
        var send = new Thread(() => sending = channel.SendAllAsync(bytes));
        var receive = new Thread(() => receiving = channel.ReceiveAsync(buffer).AsTask());
        lock (Watching(channel))
        {
            foreach (var thread in new[] { send, receive })
            {
                thread.Start();
                Assert.That(SpinWait.SpinUntil(() => (thread.ThreadState & ThreadState.WaitSleepJoin) != 0, Patience), Is.True);
            }
        }
        send.Join();
        receive.Join();
        return (sending!, receiving!);
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_watching")]
    private static extern ref Lock Watching(ReactorChannel channel);

    [Test]
    public async Task What_has_arrived_is_taken_without_deepening_the_stack()
    {
        const int Answers = 100_000;
        var (channel, peer) = await Connect(isUnix: false);
        var sending = Task.Run(() => peer.Send(new byte[Answers + 1]));
        // The caller goes on where the first answer finds it.
        await channel.ReceiveAsync(new byte[1]).ConfigureAwait(false);
        for (var i = 0; i < Answers; i++)
        {
            Assert.That(await channel.ReceiveAsync(new byte[1]).ConfigureAwait(false), Is.EqualTo(1));
            if (!RuntimeHelpers.TryEnsureSufficientExecutionStack())
                Assert.Fail($"the stack is full after {i} answers");
        }
        await sending;
    }

    [Test]
    public async Task Shutdown_and_disposal_end_what_waits([Values] bool sends, [Values] bool disposes)
    {
        var (channel, _) = await Connect(isUnix: false);
        var waiting = sends ? channel.SendAllAsync(new byte[20_000_000]) : channel.ReceiveAsync(new byte[10]).AsTask();
        Assert.That(waiting.IsCompleted, Is.False);
        if (disposes)
            channel.Dispose();
        else
            channel.Shutdown();
        if (disposes)
            Assert.That(async () => await waiting.WaitAsync(Patience), Throws.InstanceOf<ObjectDisposedException>());
        else if (sends)
            Assert.That(async () => await waiting.WaitAsync(Patience), Throws.InstanceOf<SocketException>());
        else
            Assert.That(await ((Task<int>)waiting).WaitAsync(Patience), Is.Zero);
        channel.Dispose();
        Assert.That(async () => await channel.ReceiveAsync(new byte[10]), Throws.InstanceOf<ObjectDisposedException>());
    }

    [Test]
    public async Task A_reset_by_the_peer_is_an_error_of_the_next_receive()
    {
        var (channel, peer) = await Connect(isUnix: false);
        var receiving = channel.ReceiveAsync(new byte[10]).AsTask();
        peer.LingerState = new LingerOption(true, 0);
        peer.Dispose();
        Assert.That(async () => await receiving.WaitAsync(Patience),
            Throws.InstanceOf<SocketException>().With.Property(nameof(SocketException.SocketErrorCode)).EqualTo(SocketError.ConnectionReset));
    }

    [Test]
    public async Task A_handle_that_the_system_uses_again_has_none_of_the_old_reports()
    {
        for (var i = 0; i < 300; i++)
        {
            var (old, oldPeer) = await Connect(isUnix: i % 2 == 0);
            var waiting = old.ReceiveAsync(new byte[10]).AsTask();
            await oldPeer.SendAsync(new byte[] { 1 });
            old.Dispose();
            var (channel, peer) = await Connect(isUnix: i % 2 == 0);
            var receiving = channel.ReceiveAsync(new byte[10]).AsTask();
            Assert.That(receiving.IsCompleted, Is.False);
            await peer.SendAsync(new byte[] { 2, 3 });
            Assert.That(await receiving.WaitAsync(Patience), Is.EqualTo(2));
            await waiting.ContinueWith(static _ => { }, TaskScheduler.Default).WaitAsync(Patience);
        }
    }

    [Test]
    public async Task Thousands_wait_at_once()
    {
        var pairs = new (ByteChannel Channel, Socket Peer)[1500];
        for (var i = 0; i < pairs.Length; i++)
            pairs[i] = await Connect(isUnix: true);
        for (var round = 0; round < 3; round++)
        {
            var receiving = Array.ConvertAll(pairs, pair => Number(pair.Channel));
            foreach (var i in Enumerable.Range(0, pairs.Length).OrderBy(_ => Random.Shared.Next()))
                await pairs[i].Peer.SendAsync(BitConverter.GetBytes(i));
            Assert.That(await Task.WhenAll(receiving).WaitAsync(Patience), Is.EqualTo(Enumerable.Range(0, pairs.Length)));
        }

        static async Task<int> Number(ByteChannel channel)
        {
            var buffer = new byte[4];
            await channel.ReceiveAsync(buffer);
            return BitConverter.ToInt32(buffer);
        }
    }

    [Test]
    public async Task A_server_that_is_not_there_is_told([Values] bool isUnix)
    {
        EndPoint nowhere = isUnix ? new UnixDomainSocketEndPoint(Path.Combine(Path.GetTempPath(), Guid.NewGuid().ToString("N"))) : FreePort();
        var ours = await Catch(() => Dial(nowhere));
        var theirs = await Catch(async () =>
        {
            using var socket = new Socket(nowhere.AddressFamily, SocketType.Stream, ProtocolType.Unspecified);
            await socket.ConnectAsync(nowhere);
        });
        Assert.That(ours.SocketErrorCode, Is.EqualTo(theirs.SocketErrorCode));
        Assert.That(ours.Message, Does.StartWith(theirs.Message.Split(" [")[0]).Or.EqualTo(theirs.Message));
    }

    [Test]
    public async Task A_full_queue_is_waited_for_until_the_token_is_cancelled([Values] bool isUnix)
    {
        using var listener = Listener(isUnix, backlog: 0);
        List<Task<ByteChannel>> dialled = [];
        // The system accepts a few more than were asked for.
        Task<ByteChannel> stuck;
        using var stop = new CancellationTokenSource();
        do
        {
            stuck = Dial(listener.LocalEndPoint!, stop.Token);
            dialled.Add(stuck);
        }
        while (await Task.WhenAny(stuck, Task.Delay(200)) == stuck);
        await stop.CancelAsync();
        Assert.That(async () => await stuck.WaitAsync(Patience), Throws.InstanceOf<OperationCanceledException>());
        foreach (var dial in dialled.Where(static dial => dial.IsCompletedSuccessfully))
            _opened.Add(await dial);
    }

    [Test]
    public void A_cancelled_token_connects_to_nothing() => Assert.That(
        async () => await Dial(FreePort(), new CancellationToken(canceled: true)), Throws.InstanceOf<OperationCanceledException>());

    private static async Task<SocketException> Catch(Func<Task> work)
    {
        try
        {
            await work();
        }
        catch (SocketException e)
        {
            return e;
        }
        throw new AssertionException("Nothing was thrown.");
    }

    private static IPEndPoint FreePort()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return (IPEndPoint)listener.LocalEndPoint!;
    }

    private static Socket Listener(bool isUnix, int backlog)
    {
        EndPoint place = isUnix
            ? new UnixDomainSocketEndPoint(Path.Combine(Path.GetTempPath(), "loxo-" + Guid.NewGuid().ToString("N")[..12]))
            : new IPEndPoint(IPAddress.Loopback, 0);
        var listener = new Socket(place.AddressFamily, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(place);
        listener.Listen(backlog);
        return listener;
    }

    private async Task<ByteChannel> Dial(EndPoint remote, CancellationToken token = default)
    {
        var socket = new Socket(remote.AddressFamily, SocketType.Stream, ProtocolType.Unspecified);
        return await ReactorChannel.ConnectAsync(socket, remote, Reactor.LoopFor(new ReactorSettings(0, continuations))!, receiveSpin: 0, token);
    }

    [Test]
    public async Task What_a_caller_leaves_on_the_thread_does_not_reach_the_next()
    {
        var pairs = new List<(ByteChannel Channel, Socket Peer)>();
        for (var i = 0; i < 8; i++)
            pairs.Add(await Connect(isUnix: false));
        var left = new SynchronizationContext();
        var seen = 0;
        for (var round = 0; round < 100; round++)
        {
            using var ended = new CountdownEvent(pairs.Count);
            foreach (var (channel, _) in pairs)
            {
                var awaiter = channel.ReceiveAsync(new byte[8]).AsTask().ConfigureAwait(false).GetAwaiter();
                awaiter.UnsafeOnCompleted(() =>
                {
                    if (SynchronizationContext.Current == left)
                        Interlocked.Increment(ref seen);
                    awaiter.GetResult();
                    SynchronizationContext.SetSynchronizationContext(left);
                    ended.Signal();
                });
            }
            foreach (var (_, peer) in pairs)
                peer.Send([1]);
            Assert.That(ended.Wait(Patience), Is.True);
        }
        Assert.That(seen, Is.Zero);
    }

    private async Task<(ByteChannel Channel, Socket Peer)> Connect(bool isUnix)
    {
        using var listener = Listener(isUnix, backlog: 1);
        var dialling = Dial(listener.LocalEndPoint!);
        var peer = await listener.AcceptAsync();
        var channel = await dialling;
        _opened.Add(channel);
        _opened.Add(peer);
        return (channel, peer);
    }
}
