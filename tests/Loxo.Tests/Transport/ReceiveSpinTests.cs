using System.Net;
using Loxo.Transport;

namespace Loxo.Tests.Transport;

/// <summary>A receive looks for input before it sleeps, as long as that is worth it.</summary>
public sealed class ReceiveSpinTests
{
    [Test]
    public void What_comes_in_time_is_taken()
    {
        var spin = new ReceiveSpin(1_000_000, Waiting(1));
        using var channel = new Arriving(looks: 10);
        Assert.That(spin.TryBegin(), Is.True);
        Assert.That(spin.TryReceive(channel, new byte[8]), Is.EqualTo(8));
        Assert.That(channel.Looks, Is.EqualTo(10));
    }

    [Test]
    public void Without_a_time_nothing_is_looked_for() => Assert.That(new ReceiveSpin(0, Waiting(1)).TryBegin(), Is.False);

    [Test]
    public void Looks_in_vain_become_rare_until_one_succeeds()
    {
        var spin = new ReceiveSpin(1, Waiting(1));
        using var never = new Arriving(looks: int.MaxValue);
        Assert.That(Wanted(spin, never, receives: 100), Is.InRange(5, 8));
        using var atOnce = new Arriving(looks: 1);
        Assert.That(Wanted(spin, atOnce, receives: 200), Is.GreaterThan(150));
    }

    [TestCase(1, 1)]
    [TestCase(2, 2)]
    [TestCase(8, 2)]
    public void Nothing_is_looked_for_without_a_processor_to_spare(int processors, int waiting) =>
        Assert.That(new ReceiveSpin(1_000_000, Waiting(waiting, processors)).TryBegin(), Is.False);

    [Test]
    public void Looking_ends_when_another_thread_waits()
    {
        var threads = Waiting(1);
        var spin = new ReceiveSpin(1_000_000, threads);
        using var channel = new Arriving(looks: int.MaxValue) { Looked = looks => { if (looks == 10) threads.Enter(); } };
        Assert.That(spin.TryReceive(channel, new byte[8]), Is.EqualTo(ByteChannel.Nothing));
        Assert.That(channel.Looks, Is.EqualTo(10));
        Assert.That(spin.TryBegin(), Is.False);
        threads.Leave();
        Assert.That(spin.TryBegin(), Is.True);
    }

    private static WaitingThreads Waiting(int count, int processors = 2)
    {
        var threads = new WaitingThreads(processors);
        for (var i = 0; i < count; i++)
            threads.Enter();
        return threads;
    }

    // In so many receives.
    private static int Wanted(ReceiveSpin spin, ByteChannel channel, int receives)
    {
        var wanted = 0;
        for (var i = 0; i < receives; i++)
        {
            if (!spin.TryBegin())
                continue;
            wanted++;
            spin.TryReceive(channel, new byte[8]);
        }
        return wanted;
    }

    private sealed class Arriving(int looks) : ByteChannel
    {
        public int Looks { get; private set; }

        public override EndPoint Remote => new IPEndPoint(IPAddress.Loopback, 1);

        public Action<int> Looked { get; init; } = _ => { };

        public override int TryReceive(Span<byte> buffer)
        {
            Looked(++Looks);
            return Looks < looks ? Nothing : buffer.Length;
        }

        public override int TrySend(ReadOnlySpan<byte> bytes) => throw new NotSupportedException();

        public override int Receive(Span<byte> buffer, int milliseconds) => throw new NotSupportedException();

        public override Readiness Wait(Readiness wanted, int milliseconds) => throw new NotSupportedException();

        public override ValueTask<int> ReceiveAsync(Memory<byte> buffer) => throw new NotSupportedException();

        public override Task SendAllAsync(ReadOnlyMemory<byte> bytes) => throw new NotSupportedException();

        public override void Shutdown() => throw new NotSupportedException();

        public override void Dispose()
        {
        }
    }
}
