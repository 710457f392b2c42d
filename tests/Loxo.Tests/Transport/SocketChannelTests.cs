using System.Net.Sockets;
using Loxo.Transport;

namespace Loxo.Tests.Transport;

/// <summary>Channels over real sockets: both implementations keep the same promises.</summary>
[TestFixture(true, false)]
[TestFixture(true, true)]
[TestFixture(false, false)]
[TestFixture(false, true)]
public sealed class SocketChannelTests(bool linux, bool connectedAsynchronously)
{
    // Long enough for a loaded machine; waited for in full only by a test that fails.
    private const int Minute = 60_000;

    private SocketPair _pair = null!;

    private ByteChannel Channel => _pair.Channel;

    [SetUp]
    public async Task Open()
    {
        Assume.That(!linux || OperatingSystem.IsLinux());
        _pair = await SocketPair.Open(linux, connectedAsynchronously);
    }

    [TearDown]
    public void Close() => _pair?.Dispose();

    [Test]
    public void What_is_sent_arrives()
    {
        Assert.That(Channel.TrySend([1, 2, 3]), Is.EqualTo(3));
        Assert.That(_pair.ReadFromPeer(3), Is.EqualTo(new byte[] { 1, 2, 3 }));
    }

    [Test]
    public void A_blocking_receive_gets_what_there_is()
    {
        _pair.Peer.Send([1, 2, 3]);
        var buffer = new byte[10];
        Assert.That(Channel.Receive(buffer, Minute), Is.EqualTo(3));
        Assert.That(buffer[..3], Is.EqualTo(new byte[] { 1, 2, 3 }));
    }

    [Test]
    public void A_blocking_receive_waits_for_what_comes_later()
    {
        var peer = _pair.Peer;
        using var later = new Timer(_ => peer.Send([7]), null, 20, Timeout.Infinite);
        var buffer = new byte[10];
        Assert.That(Channel.Receive(buffer, Timeout.Infinite), Is.EqualTo(1));
    }

    [Test]
    public void A_blocking_receive_ends_with_its_time_and_the_next_one_works()
    {
        var buffer = new byte[10];
        Assert.That(Channel.Receive(buffer, 1), Is.EqualTo(ByteChannel.Nothing));
        Assert.That(Channel.Receive(buffer, 0), Is.EqualTo(ByteChannel.Nothing));
        _pair.Peer.Send([1]);
        Assert.That(Channel.Receive(buffer, Minute), Is.EqualTo(1));
    }

    [Test]
    public void Receiving_without_waiting_finds_nothing_or_what_there_is()
    {
        var buffer = new byte[10];
        Assert.That(Channel.TryReceive(buffer), Is.EqualTo(ByteChannel.Nothing));
        _pair.Peer.Send([1, 2]);
        Assert.That(Channel.Wait(Readiness.Readable, Minute), Is.EqualTo(Readiness.Readable));
        Assert.That(Channel.TryReceive(buffer), Is.EqualTo(2));
        Assert.That(Channel.TryReceive(buffer), Is.EqualTo(ByteChannel.Nothing));
    }

    [Test]
    public async Task Blocking_and_asynchronous_calls_may_take_turns()
    {
        var buffer = new byte[10];
        for (byte i = 0; i < 5; i++)
        {
            var pending = Channel.ReceiveAsync(buffer).AsTask();
            _pair.Peer.Send([i]);
            Assert.That((await pending, buffer[0]), Is.EqualTo((1, i)));
            Assert.That(Channel.Receive(buffer, 1), Is.EqualTo(ByteChannel.Nothing), "a blocking wait must really wait, and end");
            _pair.Peer.Send([i]);
            Assert.That(Channel.Receive(buffer, Minute), Is.EqualTo(1));
            Assert.That(Channel.Wait(Readiness.Readable, 1), Is.EqualTo(Readiness.None));
            await Channel.SendAllAsync(new byte[] { i });
            Assert.That(_pair.ReadFromPeer(1)[0], Is.EqualTo(i));
            Assert.That(Channel.TrySend([i, i]), Is.EqualTo(2));
            Assert.That(_pair.ReadFromPeer(2), Is.EqualTo(new[] { i, i }));
        }
    }

    [Test]
    public async Task What_does_not_fit_is_left_and_reading_goes_on_meanwhile()
    {
        var large = Enumerable.Range(0, 1 << 20).Select(i => (byte)i).ToArray();
        var sent = 0;
        for (int count; (count = Channel.TrySend(large.AsSpan(sent % large.Length))) > 0;)
            sent += count;
        Assert.That(Channel.TrySend([1]), Is.Zero, "nothing fits");
        Assert.That(Channel.Wait(Readiness.Writable, 1), Is.EqualTo(Readiness.None));
        _pair.Peer.Send([5]);
        Assert.That(Channel.Wait(Readiness.Readable | Readiness.Writable, Minute), Is.EqualTo(Readiness.Readable));
        Assert.That(Channel.TryReceive(new byte[10]), Is.EqualTo(1));
        var reading = Task.Run(() => _pair.ReadFromPeer(sent));
        Assert.That(Channel.Wait(Readiness.Writable, Minute), Is.EqualTo(Readiness.Writable));
        var read = await reading;
        Assert.That(Enumerable.Range(0, sent).All(i => read[i] == (byte)i), Is.True);
    }

    [Test]
    public async Task A_large_send_and_a_receive_may_run_at_once()
    {
        var large = new byte[8 << 20];
        var receiving = Channel.ReceiveAsync(new byte[10]).AsTask();
        var sending = Channel.SendAllAsync(large);
        _pair.Peer.Send([1]);
        Assert.That(await receiving, Is.EqualTo(1));
        // The answer was handed out although the send is still stuck; a blocking call finds that out without waiting.
        Assert.That(Channel.Receive(new byte[10], 1), Is.EqualTo(ByteChannel.Nothing));
        await Task.Run(() => _pair.ReadFromPeer(large.Length));
        await sending;
        _pair.Peer.Send([2]);
        Assert.That(Channel.Receive(new byte[10], Minute), Is.EqualTo(1));
    }

    [Test]
    public async Task Shutdown_wakes_a_blocked_receive()
    {
        var channel = Channel;
        var receiving = StartBlocked(() => channel.Receive(new byte[10], Timeout.Infinite));
        channel.Shutdown();
        Assert.That(await receiving, Is.Zero);
        channel.Shutdown();
    }

    [Test]
    public async Task Shutdown_wakes_a_blocked_wait()
    {
        var channel = Channel;
        var waiting = StartBlocked(() => (int)channel.Wait(Readiness.Readable, Timeout.Infinite));
        channel.Shutdown();
        Assert.That(await waiting, Is.EqualTo((int)Readiness.Readable));
    }

    [Test]
    public async Task Shutdown_wakes_an_asynchronous_receive()
    {
        var receiving = Channel.ReceiveAsync(new byte[10]).AsTask();
        Channel.Shutdown();
        Assert.That(await receiving, Is.Zero);
    }

    [Test]
    public async Task Shutdown_ends_a_send_that_is_stuck()
    {
        var sending = Channel.SendAllAsync(new byte[64 << 20]);
        Channel.Shutdown();
        var error = await Catch(() => sending);
        Assert.That(error, Is.InstanceOf<SocketException>());
    }

    [Test]
    public async Task After_the_peers_end_receives_say_so_in_both_modes()
    {
        _pair.Peer.Send([1]);
        _pair.Peer.Shutdown(SocketShutdown.Both);
        _pair.Peer.Close();
        Assert.That(Channel.Receive(new byte[10], Minute), Is.EqualTo(1));
        Assert.That(Channel.Receive(new byte[10], Minute), Is.Zero);
        Assert.That(await Channel.ReceiveAsync(new byte[10]), Is.Zero);
    }

    [Test]
    public void A_connection_that_breaks_is_a_SocketException()
    {
        _pair.Peer.LingerState = new LingerOption(true, 0);
        _pair.Peer.Close();
        Assert.Throws<SocketException>(() => Channel.Receive(new byte[10], Minute));
    }

    [Test]
    public void A_send_after_shutdown_is_a_SocketException_and_no_signal()
    {
        Channel.Shutdown();
        Assert.Throws<SocketException>(() => Channel.TrySend([1]));
    }

    private static Task<int> StartBlocked(Func<int> call)
    {
        var result = new TaskCompletionSource<int>();
        var thread = new Thread(() =>
        {
            try
            {
                result.SetResult(call());
            }
            catch (Exception e)
            {
                result.SetException(e);
            }
        }) { IsBackground = true };
        thread.Start();
        // Either order must work: the shutdown may find the thread in the call or on its way there.
        var spin = default(SpinWait);
        for (var i = 0; i < 50 && (thread.ThreadState & ThreadState.WaitSleepJoin) == 0; i++)
            spin.SpinOnce();
        return result.Task;
    }

    private static async Task<Exception?> Catch(Func<Task> action)
    {
        try
        {
            await action();
            return null;
        }
        catch (Exception e)
        {
            return e;
        }
    }
}
