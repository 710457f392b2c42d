using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;
using Loxo.Tests.ConnectionStrings;
using Loxo.Tests.Wire;
using Loxo.Transport;
using TheWire = Loxo.Transport.Wire;

namespace Loxo.Tests.Transport;

/// <summary>The two loops, without a session: what a session makes of it is tested in Session.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class WireTests(WaitMode mode)
{
    private SimulatedTime _time = null!;
    private ScriptedChannel _channel = null!;
    private Owner _owner = null!;
    private TheWire _wire = null!;

    [SetUp]
    public void Start()
    {
        _time = new SimulatedTime();
        _channel = new ScriptedChannel(_time, ScriptedDialer.Address);
        _owner = new Owner(_channel);
        _wire = new TheWire(_channel, _owner, Given.Settings("Host=x;Username=u").Transport, _time);
    }

    [TearDown]
    public void Dispose() => _wire.Dispose();

    [Test]
    public async Task What_has_arrived_already_is_not_waited_for()
    {
        _channel.Write(new Answer().ReadyForQuery().ReadyForQuery().Bytes);
        Assert.That(await Pump(), Is.EqualTo(Progress.Done));
        Assert.That(_wire.Input.Buffered, Is.EqualTo(6), "the second message is left");
        Assert.That(await Pump(), Is.EqualTo(Progress.Done));
    }

    [Test]
    public async Task Output_is_sent_even_when_the_answer_is_there_already()
    {
        _channel.Write(new Answer().ReadyForQuery().Bytes);
        _wire.Output.WriteSync();
        Assert.That(await Pump(), Is.EqualTo(Progress.Done));
        _channel.Read(5, "Sync");
        Assert.That(_wire.Output.IsEmpty, Is.True);
    }

    [Test]
    public async Task A_failed_send_is_reported_when_nothing_more_can_be_read()
    {
        _channel.Reset();
        _wire.Output.WriteSync();
        var error = await Catch(() => Pump());
        Assert.That((error as PgException)?.Code, Is.EqualTo(PgErrorCode.ConnectionClosed));
        Assert.That(_owner.Failures, Is.EqualTo(1));
    }

    [Test]
    public async Task A_failed_send_is_not_reported_when_the_answer_can_be_read()
    {
        _channel.Write(new Answer().ReadyForQuery().Bytes);
        _channel.Reset();
        _wire.Output.WriteSync();
        Assert.That(await Pump(), Is.EqualTo(Progress.Done));
        Assert.That(_owner.Failures, Is.Zero);
    }

    [Test]
    public async Task The_end_of_the_time_is_told()
    {
        var script = Task.Run(() =>
        {
            _channel.AwaitClientWaiting();
            _time.Advance(TimeSpan.FromSeconds(1.1));
        });
        if (mode == WaitMode.Blocking)
            Assert.That(await Pump(Deadline.EachWait(1000)), Is.EqualTo(Progress.NeedMore));
        else
            Assert.That(await Catch(() => Pump(Deadline.EachWait(1000))), Is.InstanceOf<PgException>());
        await script;
        Assert.That(_owner.TimedOut, Is.EqualTo(mode == WaitMode.Async ? 1 : 0), "a blocking caller sees it by itself");
    }

    [Test]
    public async Task The_end_of_the_time_is_told_while_an_asynchronous_send_is_stuck_too()
    {
        _channel.Window = 1;
        _wire.Output.WriteSync();
        _channel.Write(new Answer().DataRow(1).Bytes);
        Assert.That(await _wire.PumpAsync(new UntilRow(), Deadline.None, CancellationToken.None), Is.EqualTo(Progress.Row));
        Assert.That(_wire.Input.TryTakeRow(out _, out _), Is.True);
        var starting = _wire.PumpAsync(new UntilRow(), Deadline.None, CancellationToken.None).AsTask();
        _channel.AwaitClientWaiting();
        _channel.Write(new Answer().DataRow(2).Bytes);
        Assert.That(await starting, Is.EqualTo(Progress.Row));
        Assert.That(_wire.Input.TryTakeRow(out _, out _), Is.True);
        // Time goes on until the wait has ended: how soon the caller's thread begins to wait is not known.
        using var ended = new CancellationTokenSource();
        var script = Task.Run(() =>
        {
            while (!ended.IsCancellationRequested)
            {
                _time.Advance(TimeSpan.FromMilliseconds(100));
                Thread.Yield();
            }
        });
        var error = await Catch(() => Pump(Deadline.EachWait(1000)));
        await ended.CancelAsync();
        Assert.That((error is null, _owner.TimedOut), Is.EqualTo(mode == WaitMode.Async ? (false, 1) : (true, 0)));
        await script;
    }

    [Test]
    public async Task An_error_of_the_exchange_goes_to_the_owner()
    {
        _channel.Write(new Answer().BindComplete().Bytes);
        var error = await Catch(() => Pump());
        Assert.That((error as PgException)?.Code, Is.EqualTo(PgErrorCode.ProtocolViolation));
        Assert.That(_owner.Failures, Is.EqualTo(1));
    }

    [Test]
    public async Task An_exchange_may_stop_when_the_output_is_sent_and_reads_meanwhile([Values] bool fails)
    {
        _channel.Window = 10;
        for (var i = 0; i < 10; i++)
            _wire.Output.WriteSync();
        var pump = Task.Run(() => mode.Run(
            () => _wire.Pump(new Writing(), Deadline.None),
            () => _wire.PumpAsync(new Writing(), Deadline.None, CancellationToken.None).AsTask()));
        _channel.AwaitClientWaiting();
        Assert.That(pump.IsCompleted, Is.False);
        if (fails)
            _channel.Write(new Answer().ReadyForQuery().Bytes);
        else
            _channel.Read(50, "10 Sync");
        Assert.That(await pump, Is.EqualTo(fails ? Progress.Done : Progress.Sent));
        Assert.That(_wire.Output.IsEmpty, Is.EqualTo(!fails));
    }

    [Test]
    public async Task An_awaited_wait_that_is_ended_loses_nothing()
    {
        var turn = new Turn();
        var waiting = _wire.PumpAsync(new Ready(), Deadline.None, CancellationToken.None, turn).AsTask();
        _channel.AwaitClientWaiting();
        turn.End();
        Assert.That(await waiting, Is.EqualTo(Progress.NeedMore));
        _channel.Write(new Answer().ReadyForQuery().Bytes);
        Assert.That(await Pump(), Is.EqualTo(Progress.Done), "in either mode");
        Assert.That((_owner.Failures, _owner.TimedOut, _owner.Cancelled), Is.EqualTo((0, 0, 0)));
    }

    [Test]
    public async Task A_turn_that_is_given_between_two_waits_is_not_lost()
    {
        var turn = new Turn();
        var waiting = _wire.PumpAsync(new Ready(), Deadline.None, CancellationToken.None, turn).AsTask();
        _channel.AwaitClientWaiting();
        _channel.Write(new Answer().ReadyForQuery().Bytes);
        Assert.That(await waiting, Is.EqualTo(Progress.Done));
        turn.Give();
        Assert.That(turn.WaitAsync().IsCompleted, Is.True);
    }

    [Test]
    public void A_token_that_is_cancelled_during_a_wait_is_told_and_no_later()
    {
        // A blocking call takes no token.
        if (mode == WaitMode.Blocking)
            return;
        using var source = new CancellationTokenSource();
        var pump = _wire.PumpAsync(new Ready(), Deadline.None, source.Token).AsTask();
        _channel.AwaitClientWaiting();
        _channel.Write(new Answer().ReadyForQuery().Bytes);
        Assert.That(pump.GetAwaiter().GetResult(), Is.EqualTo(Progress.Done));
        source.Cancel();
        Assert.That(_owner.Cancelled, Is.Zero);
    }

    [Test]
    public void A_buffer_that_somebody_may_still_receive_into_is_not_given_to_others()
    {
        // Another thread may close the session while a receive writes into its buffer.
        _channel.Write(new byte[100_000]);
        while (_wire.Input.Buffered < 100_000)
            _wire.Input.Arrived(_channel.TryReceive(_wire.Input.FreeSpace().Span));
        var buffer = _wire.Input.Buffer;
        _wire.Dispose();
        var rented = Enumerable.Range(0, 8).Select(_ => System.Buffers.ArrayPool<byte>.Shared.Rent(buffer.Length)).ToArray();
        Assert.That(rented, Has.None.SameAs(buffer));
    }

    private Task<Progress> Pump(Deadline? deadline = null) => mode.Run(
        () => _wire.Pump(new Ready(), deadline ?? Deadline.None),
        () => _wire.PumpAsync(new Ready(), deadline ?? Deadline.None, CancellationToken.None).AsTask());

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

    private sealed class Ready() : MessageExchange(NullUnsolicitedMessages.Instance)
    {
        protected override Progress On(BackendMessage message) => message.Type == BackendMessageType.ReadyForQuery
            ? Progress.Done
            : throw ProtocolErrors.UnexpectedMessage("ReadyForQuery", message.Type);
    }

    private sealed class Writing() : MessageExchange(NullUnsolicitedMessages.Instance)
    {
        public override bool StopsWhenSent => true;

        protected override Progress On(BackendMessage message) => Progress.Done;
    }

    private sealed class UntilRow() : MessageExchange(NullUnsolicitedMessages.Instance)
    {
        protected override Progress On(BackendMessage message) => Progress.Row;
    }

    private sealed class Owner(ScriptedChannel channel) : IWireOwner
    {
        public int TimedOut { get; private set; }

        public int Cancelled { get; private set; }

        public int Failures { get; private set; }

        public void WaitTimedOut()
        {
            TimedOut++;
            channel.Shutdown();
        }

        public void WaitCancelled()
        {
            Cancelled++;
            channel.Shutdown();
        }

        public Exception Failed(Exception cause)
        {
            Failures++;
            return cause;
        }
    }
}
