using System.Collections.Concurrent;
using System.Net.Sockets;
using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;
using Loxo.Tests.ConnectionStrings;
using Loxo.Tests.Wire;
using Loxo.Transport;
using TheWire = Loxo.Transport.Wire;

namespace Loxo.Tests.Transport;

/// <summary>Callers that send while others write, send, receive or leave.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
[FixtureLifeCycle(LifeCycle.InstancePerTestCase)]
public sealed class FlushTests(WaitMode mode)
{
    // Real time, for what must not happen.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private readonly SendingChannel _channel = new();
    private readonly Clock _clock = new();
    private readonly List<int> _written = [];
    private TheWire _wire = null!;

    [SetUp]
    public void Start()
    {
        _wire = new TheWire(_channel, new Owner(), Given.Settings("Host=x;Username=u").Transport, _clock);
        _wire.BeginSharing();
    }

    [TearDown]
    public void Dispose()
    {
        _channel.End();
        _wire.Dispose();
        Assert.That(_channel.HasMixed, Is.False, "two calls have sent at once");
    }

    [Test]
    public void Others_write_and_send_during_the_system_call([Values] bool encrypted)
    {
        if (encrypted)
            _wire.Upgrade(new Inverting());
        _channel.Sending = () => Assert.That(Task.Run(() => WriteAndFlush(2)).Wait(Patience), Is.True, "the gate is free");
        WriteAndFlush(1);
        Assert.That(_channel.Sent(encrypted), Is.EqualTo([1, 2]));
    }

    [Test]
    public void What_is_being_sent_counts_as_sent()
    {
        long before = 0, during = 0;
        _channel.Sending = () => (before, during) = (_wire.Output.SentPosition, _wire.SentPosition);
        WriteAndFlush(1);
        Assert.That((before, during), Is.EqualTo((0, 4)));
    }

    [Test]
    public void The_last_caller_leaves_when_nothing_is_being_sent()
    {
        Task? leaving = null;
        _channel.Sending = () =>
        {
            leaving = Task.Run(_wire.EndSharing);
            for (var i = 0; i < 1000; i++)
                Thread.Yield();
            Assert.That(leaving.IsCompleted || !_wire.IsShared, Is.False);
        };
        WriteAndFlush(1);
        Assert.That(leaving!.Wait(Patience), Is.True);
        Assert.That(_wire.IsShared, Is.False);
    }

    [Test]
    public void The_last_caller_leaves_when_nothing_is_being_sent_in_the_thread_pool()
    {
        var own = Environment.CurrentManagedThreadId;
        using var hasLeft = new ManualResetEventSlim();
        bool? leftEarly = null;
        _channel.EachSending = () =>
        {
            if (Environment.CurrentManagedThreadId == own)
            {
                Write(_written.Count);
                return;
            }
            if (leftEarly is not null)
                return;
            var leaving = Task.Run(_wire.EndSharing);
            for (var i = 0; i < 1000; i++)
                Thread.Yield();
            leftEarly = leaving.IsCompleted || !_wire.IsShared;
            leaving.ContinueWith(_ => hasLeft.Set());
        };
        WriteAndFlush(0);
        Assert.That(hasLeft.Wait(Patience), Is.True);
        Assert.That((leftEarly, _wire.IsShared), Is.EqualTo((false, false)));
    }

    [Test]
    public void Nobody_sends_for_a_caller_that_is_alone()
    {
        _wire.EndSharing();
        WriteAndFlush(1);
        Assert.That((_channel.Count, _wire.Output.PendingLength), Is.EqualTo((0, sizeof(int))));
    }

    [Test]
    public void One_of_several_callers_leaves_at_once()
    {
        _wire.BeginSharing();
        _channel.Sending = () => Assert.That(Task.Run(_wire.EndSharing).Wait(Patience), Is.True);
        WriteAndFlush(1);
        Assert.That(_wire.IsShared, Is.True);
    }

    [Test]
    public void A_wire_that_is_closed_during_the_system_call_sends_nothing_twice()
    {
        _channel.Sending = () =>
        {
            lock (_wire.Gate)
                _wire.Output.Clear();
        };
        WriteAndFlush(1);
        Assert.That((_wire.Output.IsEmpty, _wire.Output.PendingLength), Is.EqualTo((true, 0)));
        WriteAndFlush(2);
        Assert.That(_channel.Sent(), Is.EqualTo([1, 2]));
    }

    [Test]
    public async Task A_wire_that_is_closed_while_a_send_is_awaited_sends_nothing_twice()
    {
        var leading = Task.Run(Lead);
        Assert.That(SpinWait.SpinUntil(() => _wire.IsInUse, Patience), Is.True);
        _channel.IsTight = 4;
        lock (_wire.Gate)
        {
            WriteAndFlush(1);
            Assert.That(SpinWait.SpinUntil(() => _channel.Count == sizeof(int), Patience), Is.True);
            _wire.Output.Clear();
        }
        _channel.IsTight = 0;
        WriteAndFlush(2);
        Assert.That(SpinWait.SpinUntil(() => _channel.Count == 2 * sizeof(int), Patience), Is.True);
        _channel.End();
        await leading;
        Assert.That((_wire.Output.IsEmpty, _wire.Output.PendingLength), Is.EqualTo((true, 0)));
        Assert.That(_channel.Sent(), Is.EqualTo([1, 2]));
    }

    [Test]
    public void A_connection_for_which_nothing_can_be_encrypted_in_the_thread_pool_is_shut_down()
    {
        var own = Environment.CurrentManagedThreadId;
        _wire.Upgrade(new Inverting
        {
            Encrypting = () => _ = Environment.CurrentManagedThreadId == own ? 0 : throw new IOException("The key is gone."),
        });
        _channel.EachSending = () => Write(1);
        WriteAndFlush(1);
        Assert.That(SpinWait.SpinUntil(() => _wire.IsShutDown, Patience), Is.True);
    }

    [Test]
    public void A_send_that_fails_is_not_tried_again()
    {
        _channel.Sending = static () => throw new SocketException((int)SocketError.ConnectionReset);
        WriteAndFlush(1);
        WriteAndFlush(2);
        Assert.That((_wire.Output.IsEmpty, _wire.SentPosition, _channel.Sent().Length), Is.EqualTo((true, 0, 0)));
    }

    [Test]
    public void A_send_on_a_closed_channel_leaves_the_wire_free()
    {
        _channel.Sending = static () => throw new ObjectDisposedException("socket");
        Assert.That(() => WriteAndFlush(1), Throws.TypeOf<ObjectDisposedException>());
        WriteAndFlush(2);
        Assert.That(_channel.Sent(), Is.EqualTo([1, 2]));
    }

    [Test]
    public void A_caller_sends_for_others_a_few_times_only()
    {
        var next = 2;
        using var sent = new CountdownEvent(100);
        var callers = new ConcurrentDictionary<int, int>();
        _channel.EachSending = () =>
        {
            callers.AddOrUpdate(Environment.CurrentManagedThreadId, 1, static (_, count) => count + 1);
            if (next <= 100)
                Write(next++);
            sent.Signal();
        };
        WriteAndFlush(1);
        Assert.That(sent.Wait(Patience), Is.True);
        Assert.That(_channel.Sent(), Is.EqualTo(Enumerable.Range(1, 100)));
        Assert.That(callers[Environment.CurrentManagedThreadId], Is.EqualTo(8));
    }

    [Test]
    public void A_channel_that_is_closed_while_others_are_sent_for_harms_nobody()
    {
        var own = Environment.CurrentManagedThreadId;
        using var closed = new ManualResetEventSlim();
        _channel.EachSending = () =>
        {
            Write(1);
            if (Environment.CurrentManagedThreadId == own)
                return;
            closed.Set();
            throw new ObjectDisposedException("socket");
        };
        WriteAndFlush(1);
        Assert.That(closed.Wait(Patience), Is.True, "another thread goes on");
        _wire.EndSharing();
        Assert.That(SpinWait.SpinUntil(() => !_wire.IsShared, Patience), Is.True);
    }

    [Test]
    public async Task Whoever_awaits_that_more_fits_leaves_it_to_a_caller_that_is_sending_by_then()
    {
        // A blocking caller looks whether more fits, and sends under the gate.
        if (mode == WaitMode.Blocking)
            return;
        using var isSending = new ManualResetEventSlim();
        using var mayEnd = new ManualResetEventSlim();
        Task? sending = null;
        Write(1);
        _channel.IsTight = 4;
        _channel.Receiving = mayEnd.Set;
        // The caller looks at the clock when it is about to wait.
        _clock.Asked = () =>
        {
            _channel.IsTight = 0;
            _channel.Sending = () =>
            {
                isSending.Set();
                mayEnd.Wait(Patience);
            };
            sending = Task.Run(() => WriteAndFlush(2));
            isSending.Wait(Patience);
        };
        var leading = Task.Run(() => _wire.PumpAsync(new Ready(), Deadline.EachWait(1_000_000), CancellationToken.None, new Turn()).AsTask());
        Assert.That(SpinWait.SpinUntil(() => _channel.Count == 8, Patience), Is.True);
        _channel.End();
        Assert.That(await leading, Is.EqualTo(Progress.Done));
        await sending!;
        Assert.That(_channel.Sent(), Is.EqualTo([1, 2]));
    }

    [Test]
    public async Task A_caller_that_leaves_leaves_its_send_and_its_receive_to_the_next([Values] bool encrypted)
    {
        if (encrypted)
            _wire.Upgrade(new Inverting());
        var stuck = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        (_channel.IsTight, _channel.Stuck) = (4, stuck.Task);
        Write(1);
        var turn = new Turn();
        var leaving = _wire.PumpAsync(new Ready(), Deadline.None, CancellationToken.None, turn).AsTask();
        WriteAndFlush(2);
        turn.End();
        Assert.That(await leaving.WaitAsync(Patience), Is.EqualTo(Progress.NeedMore));
        WriteAndFlush(3);
        var next = Task.Run(Lead);
        Assert.That(SpinWait.SpinUntil(() => _wire.IsInUse, Patience), Is.True);
        WriteAndFlush(4);
        _channel.IsTight = 0;
        stuck.SetResult();
        Assert.That(SpinWait.SpinUntil(() => _channel.Count == 4 * sizeof(int), Patience), Is.True);
        _channel.End();
        Assert.That(await next.WaitAsync(Patience), Is.EqualTo(Progress.Done));
        Assert.That(_channel.Sent(encrypted), Is.EqualTo([1, 2, 3, 4]));
    }

    [Test]
    public async Task All_is_sent_once_and_in_order([Values] bool encrypted, [Values] bool isInUse, [Values(0, 1, 3)] int stops)
    {
        const int Callers = 4;
        const int Each = 2000;
        if (encrypted)
            _wire.Upgrade(new Inverting());
        _channel.IsTight = stops;
        var leading = isInUse ? Task.Run(Lead) : Task.CompletedTask;
        var callers = Enumerable.Range(0, Callers).Select(caller => Task.Factory.StartNew(() =>
        {
            for (var i = 0; i < Each; i++)
                WriteAndFlush((caller * Each) + i);
        }, TaskCreationOptions.LongRunning));
        await Task.WhenAll(callers);
        // What others have left nobody sends unless somebody receives, or sends again.
        Assert.That(SpinWait.SpinUntil(SendsAll, Patience), Is.True);
        _channel.End();
        await leading;

        Assert.That(_channel.Sent(encrypted), Is.EqualTo(_written));
        Assert.That(_written, Has.Count.EqualTo(Callers * Each));
    }

    private bool SendsAll()
    {
        _wire.Flush();
        return _channel.Count == _written.Count * sizeof(int);
    }

    private Task<Progress> Lead() => mode.Run(
        () => _wire.Pump(new Ready(), Deadline.None, new Turn()),
        () => _wire.PumpAsync(new Ready(), Deadline.None, CancellationToken.None, new Turn()).AsTask());

    private void Write(int number)
    {
        lock (_wire.Gate)
        {
            _wire.Output.WriteInt32(number);
            _written.Add(number);
        }
    }

    private void WriteAndFlush(int number)
    {
        Write(number);
        _wire.Flush();
    }

    private sealed class Clock : TimeProvider
    {
        /// <summary>Runs once, when somebody asks for the time.</summary>
        public Action? Asked { get; set; }

        public override long GetTimestamp()
        {
            var asked = Asked;
            Asked = null;
            asked?.Invoke();
            return base.GetTimestamp();
        }
    }

    private sealed class Ready() : MessageExchange(NullUnsolicitedMessages.Instance)
    {
        protected override Progress On(BackendMessage message) => Progress.Done;
    }

    private sealed class Owner : IWireOwner
    {
        public void WaitTimedOut()
        {
        }

        public void WaitCancelled()
        {
        }

        public Exception Failed(Exception cause) => cause;
    }

    /// <summary>Turns each bit round, a few bytes at a time; only of what is sent.</summary>
    private sealed class Inverting : SecurityLayer
    {
        private readonly byte[] _room = new byte[100];

        public Action? Encrypting { get; init; }

        public override bool Encrypt(MessageWriter output)
        {
            Encrypting?.Invoke();
            var count = Math.Min(50, output.Pending.Length);
            foreach (var one in output.Pending[..count])
                Outgoing.WriteByte((byte)~one);
            output.Consume(count);
            return count > 0;
        }

        public override Memory<byte> FreeSpace() => _room;

        public override void Arrived(int count, MessageReader input)
        {
            _room.AsSpan(0, count).CopyTo(input.FreeSpace().Span);
            input.Arrived(count);
        }

        public override void Dispose()
        {
        }
    }
}
