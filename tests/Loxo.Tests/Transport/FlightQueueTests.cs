using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Transport;

namespace Loxo.Tests.Transport;

public sealed class FlightQueueTests
{
    private MessageReader _input = null!;
    private FlightQueue _queue = null!;

    [SetUp]
    public void NewQueue()
    {
        _input = new MessageReader();
        _queue = new FlightQueue(_input);
    }

    [TearDown]
    public void Dispose() => _input.Dispose();

    [Test]
    public void An_exchange_that_is_not_queued_takes_the_messages_while_no_flight_is_due()
    {
        var exchange = new Steps(Progress.Row, Progress.Done);
        Assert.That(_queue.Advance(exchange), Is.EqualTo(Progress.Row));
        Assert.That(_queue.Advance(exchange), Is.EqualTo(Progress.Done));
        Assert.That(exchange.Input, Is.SameAs(_input));
    }

    [Test]
    public void Flights_are_answered_in_order_whichever_is_waited_for()
    {
        var first = Enqueue(Progress.Done);
        var second = Enqueue(Progress.Row, Progress.Done);
        var third = Enqueue(Progress.Done);
        Assert.That((_queue.Count, _queue.First), Is.EqualTo((3, first)));
        Assert.That(_queue.Exchanges, Is.EqualTo(new[] { first, second, third }));

        Assert.That(_queue.Advance(second), Is.EqualTo(Progress.Row));

        Assert.That((_queue.Count, _queue.First), Is.EqualTo((2, second)));
        Assert.That((first.IsOver, second.IsOver, third.Advanced), Is.EqualTo((true, false, 0)));
    }

    [Test]
    public void An_exchange_that_ended_while_another_was_waited_for_tells_its_own_caller()
    {
        var first = Enqueue(Progress.Done);
        var second = Enqueue(Progress.NeedMore);
        Assert.That(_queue.Advance(second), Is.EqualTo(Progress.NeedMore));
        Assert.That(_queue.Advance(first), Is.EqualTo(Progress.Done));
        Assert.That((first.Advanced, second.Advanced), Is.EqualTo((1, 1)));
    }

    [Test]
    public void An_exchange_that_is_queued_again_is_not_over()
    {
        var exchange = Enqueue(Progress.Done, Progress.Row);
        _queue.Advance(exchange);
        Assert.That(exchange.IsOver, Is.True);
        _queue.Enqueue(exchange, start: 0);
        Assert.That(exchange.IsOver, Is.False);
        Assert.That(_queue.Advance(exchange), Is.EqualTo(Progress.Row));
    }

    // Its caller may look at any moment.
    [Test]
    public void An_exchange_that_goes_on_is_never_over()
    {
        bool? seen = null;
        Steps exchange = null!;
        exchange = new Steps(Progress.Done, Progress.Row)
        {
            GoesOn = () =>
            {
                seen = exchange.IsOver;
                _queue.Enqueue(exchange, start: 0);
                return true;
            },
        };
        _queue.Enqueue(exchange, start: 0);
        Assert.That(_queue.Advance(exchange), Is.EqualTo(Progress.Row));
        Assert.That((seen, exchange.IsOver, exchange.Ends), Is.EqualTo(((bool?)false, false, 0)));
    }

    [TestCase(Progress.Row)]
    [TestCase(Progress.ResultEnd)]
    public void A_stop_holds_the_others_up_until_its_caller_has_seen_it_and_goes_on(object stop)
    {
        var first = Enqueue((Progress)stop, Progress.Done);
        var second = Enqueue(Progress.Done);
        Assert.That(_queue.Advance(second), Is.EqualTo(Progress.NeedMore));
        Assert.That(_queue.IsBlocked, Is.True);
        Assert.That(_queue.Advance(second), Is.EqualTo(Progress.NeedMore));
        Assert.That(_queue.Advance(first), Is.EqualTo(stop));
        Assert.That(first.Advanced, Is.EqualTo(1), "it stands where it stopped");
        Assert.That(_queue.Advance(second), Is.EqualTo(Progress.NeedMore), "the first caller is reading");

        Assert.That(_queue.Advance(first), Is.EqualTo(Progress.Done));

        Assert.That(_queue.IsBlocked, Is.False);
        Assert.That(_queue.Advance(second), Is.EqualTo(Progress.Done));
    }

    [Test]
    public void A_stop_that_its_own_caller_reached_is_reported_once()
    {
        var first = Enqueue(Progress.Row, Progress.Row, Progress.Done);
        Assert.That(_queue.Advance(first), Is.EqualTo(Progress.Row));
        Assert.That(_queue.Advance(first), Is.EqualTo(Progress.Row));
        Assert.That(_queue.Advance(first), Is.EqualTo(Progress.Done));
        Assert.That(first.Advanced, Is.EqualTo(3));
    }

    [Test]
    public void An_exchange_that_its_caller_has_left_holds_nobody_up()
    {
        var first = Enqueue(Progress.Row, Progress.Done);
        var second = Enqueue(Progress.Done);
        _queue.Advance(second);
        _queue.Leave(second);
        Assert.That(_queue.IsBlocked, Is.True, "the one that has stopped is not the one that was left");
        _queue.Leave(first);
        Assert.That(_queue.IsBlocked, Is.False);
        Assert.That(_queue.Advance(second), Is.EqualTo(Progress.Done));
        Assert.That(first.IsOver, Is.True);
    }

    [Test]
    public void An_exchange_whose_memory_is_full_blocks_the_queue()
    {
        var first = Enqueue(Progress.NeedMore);
        Enqueue(Progress.Done).IsFullNow = true;
        Assert.That(_queue.IsBlocked, Is.False);
        first.IsFullNow = true;
        Assert.That(_queue.IsBlocked, Is.True);
    }

    [Test]
    public void A_further_flight_of_an_exchange_is_answered_behind_those_that_were_queued_before()
    {
        var first = Enqueue(Progress.FlightEnd, Progress.Done);
        var second = Enqueue(Progress.Row, Progress.Done);
        _queue.Enqueue(first, start: 0);
        Assert.That(_queue.Exchanges, Is.EqualTo(new[] { first, second, first }));
        Assert.That(_queue.Advance(second), Is.EqualTo(Progress.Row));
        Assert.That(first.IsOver, Is.False);
        Assert.That(_queue.Advance(second), Is.EqualTo(Progress.Done));
        Assert.That(_queue.Advance(first), Is.EqualTo(Progress.Done));
        Assert.That(_queue.Count, Is.Zero);
    }

    [Test]
    public void The_rest_of_a_failed_group_is_skipped_up_to_the_exchange_with_its_Sync()
    {
        var failed = Enqueue(Progress.Done);
        failed.Fails = true;
        var skipped = Enqueue();
        var last = Enqueue(Progress.Done);
        last.HasSync = true;
        var next = Enqueue(Progress.Row);

        Assert.That(_queue.Advance(next), Is.EqualTo(Progress.Row));

        Assert.That((skipped.WasSkipped, skipped.Advanced, skipped.IsOver), Is.EqualTo((true, 0, true)));
        Assert.That((last.WasSkipped, last.Advanced, last.IsOver), Is.EqualTo((true, 1, true)));
        Assert.That(next.WasSkipped, Is.False);
    }

    [Test]
    public void An_exchange_of_a_failed_group_is_skipped_once_although_its_ReadyForQuery_arrives_later()
    {
        var failed = Enqueue(Progress.Done);
        failed.Fails = true;
        var last = Enqueue(Progress.NeedMore, Progress.Done);
        last.HasSync = true;
        Assert.That(_queue.Advance(last), Is.EqualTo(Progress.NeedMore));
        last.WasSkipped = false;
        Assert.That(_queue.Advance(last), Is.EqualTo(Progress.Done));
        Assert.That(last.WasSkipped, Is.False);
    }

    [Test]
    public void A_caller_is_woken_when_its_exchange_ends_stops_or_needs_messages()
    {
        var (ended, first) = (Waiting(Enqueue(Progress.Done)), Enqueue(Progress.NeedMore, Progress.Row));
        var turn = Waiting(first);
        var last = Enqueue();
        var (lastTurn, own) = (Waiting(last), Enqueue());
        _queue.Advance(own);
        Assert.That((IsGiven(ended), IsGiven(turn), IsGiven(lastTurn)), Is.EqualTo((true, true, false)));
        _queue.Wait(first, turn);
        _queue.Advance(own);
        Assert.That((IsGiven(turn), IsGiven(lastTurn)), Is.EqualTo((true, false)));
    }

    [Test]
    public void The_next_caller_to_be_woken_is_that_of_the_first_flight_that_is_waited_for()
    {
        Enqueue(Progress.NeedMore);
        var (second, third) = (Waiting(Enqueue()), Waiting(Enqueue()));
        _queue.WakeNext();
        Assert.That((IsGiven(second), IsGiven(third)), Is.EqualTo((true, false)));
        _queue.WakeNext();
        Assert.That(IsGiven(third), Is.True);
    }

    [Test]
    public void No_caller_is_woken_behind_an_exchange_that_has_stopped()
    {
        var first = Enqueue(Progress.Row);
        _queue.Advance(first);
        var second = Waiting(Enqueue());
        _queue.WakeNext();
        Assert.That(IsGiven(second), Is.False, "it could do nothing");
    }

    [Test]
    public void A_caller_that_has_given_up_waiting_is_not_woken()
    {
        var exchange = Enqueue(Progress.NeedMore);
        var turn = Waiting(exchange);
        _queue.EndWait(exchange, turn);
        _queue.WakeNext();
        Assert.That(IsGiven(turn), Is.False);
    }

    [Test]
    public void All_callers_that_wait_for_an_exchange_are_woken()
    {
        var exchange = Enqueue(Progress.Done);
        var turns = new[] { Waiting(exchange), Waiting(exchange), Waiting(exchange) };
        _queue.Advance(Enqueue(Progress.NeedMore));
        Assert.That(turns.All(IsGiven), Is.True);
        Assert.That(turns.Any(IsGiven), Is.False, "once");
    }

    [Test]
    public void A_caller_that_has_given_up_leaves_the_others_that_wait_for_its_exchange([Values(0, 1, 2)] int number)
    {
        var exchange = Enqueue(Progress.Done);
        var turns = new[] { Waiting(exchange), Waiting(exchange), Waiting(exchange) };
        _queue.EndWait(exchange, turns[number]);
        _queue.EndWait(exchange, new Turn());
        _queue.WakeNext();
        Assert.That(turns.Select(IsGiven), Is.EqualTo(new[] { 0, 1, 2 }.Select(one => one != number)));
    }

    [Test]
    public void When_the_connection_is_lost_each_exchange_is_told_whether_any_byte_of_it_was_sent()
    {
        var sent = Enqueue(start: 0);
        var begun = Enqueue(start: 99);
        var unsent = Enqueue(start: 100);
        var turns = new[] { Waiting(sent), Waiting(begun), Waiting(unsent) };
        _queue.Lost(sent: 100);
        Assert.That((sent.MayHaveRun, begun.MayHaveRun, unsent.MayHaveRun), Is.EqualTo(((bool?)true, (bool?)true, (bool?)false)));
        Assert.That(turns.All(IsGiven), Is.True);
    }

    private static bool IsGiven(Turn turn) => turn.Wait(0);

    private Turn Waiting(Exchange exchange)
    {
        var turn = new Turn();
        _queue.Wait(exchange, turn);
        return turn;
    }

    private Steps Enqueue(params Progress[] steps)
    {
        var exchange = new Steps(steps);
        _queue.Enqueue(exchange, start: 0);
        return exchange;
    }

    private Steps Enqueue(long start)
    {
        var exchange = new Steps();
        _queue.Enqueue(exchange, start);
        return exchange;
    }

    /// <summary>An exchange that goes from one given stop to the next.</summary>
    private sealed class Steps(params Progress[] steps) : Exchange
    {
        public int Advanced { get; private set; }

        public MessageReader? Input { get; private set; }

        public bool Fails { get; set; }

        /// <summary>What it does at its end, once; null for nothing.</summary>
        public Func<bool>? GoesOn { get; set; }

        public int Ends { get; private set; }

        public bool HasSync { get; set; }

        public bool IsFullNow { get; set; }

        public bool WasSkipped { get; set; }

        public bool? MayHaveRun { get; private set; }

        public override bool HasFailedGroup => Fails;

        public override bool IsFull => IsFullNow;

        public override bool TryGoOn()
        {
            var goesOn = GoesOn;
            GoesOn = null;
            return goesOn?.Invoke() == true;
        }

        public override void Ended() => Ends++;

        public override Progress Advance(MessageReader messages)
        {
            Input = messages;
            return steps[Advanced++];
        }

        public override bool SkipAfter(Exchange failed)
        {
            WasSkipped = true;
            return HasSync;
        }

        public override void Lost(bool mayHaveRun) => MayHaveRun = mayHaveRun;
    }
}
