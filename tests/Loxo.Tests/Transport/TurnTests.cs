using Loxo.Transport;

namespace Loxo.Tests.Transport;

[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class TurnTests(WaitMode mode)
{
    private Turn _turn = null!;

    [SetUp]
    public void NewTurn() => _turn = new Turn();

    [Test]
    public async Task A_waiting_caller_goes_on_when_the_turn_is_given()
    {
        var waiting = Start();
        Assert.That(waiting.IsCompleted, Is.False);
        _turn.Give();
        await waiting;
    }

    [Test]
    public async Task A_turn_given_before_the_wait_ends_it_at_once()
    {
        _turn.Give();
        await Start();
    }

    [Test]
    public async Task A_turn_ends_one_wait()
    {
        _turn.Give();
        await Start();
        Assert.That(IsGiven(), Is.False);
    }

    [Test]
    public async Task Turns_given_before_the_wait_count_as_one()
    {
        _turn.Give();
        _turn.Give();
        await Start();
        Assert.That(IsGiven(), Is.False);
    }

    [Test]
    public async Task A_turn_that_woke_a_waiting_caller_is_used_up()
    {
        var waiting = Start();
        _turn.Give();
        await waiting;
        Assert.That(IsGiven(), Is.False);
    }

    [Test]
    public async Task A_turn_given_in_one_mode_ends_a_wait_in_the_other()
    {
        _turn.Give();
        if (mode == WaitMode.Blocking)
            await _turn.WaitAsync();
        else
            Assert.That(_turn.Wait(0), Is.True);
        Assert.That(IsGiven(), Is.False);
    }

    [Test]
    public async Task A_wait_after_one_that_was_given_up_gets_the_turn()
    {
        if (mode == WaitMode.Blocking)
            Assert.That(_turn.Wait(0), Is.False, "the time is over");
        else
            _ = _turn.WaitAsync();
        var waiting = Start();
        _turn.Give();
        await waiting;
        Assert.That(IsGiven(), Is.False);
    }

    [Test]
    public void A_turn_given_after_a_wait_has_ended_is_kept_for_the_next()
    {
        if (mode == WaitMode.Blocking)
            Assert.That(_turn.Wait(0), Is.False, "the time is over");
        else
            _ = _turn.WaitAsync();
        _turn.EndWait();
        _turn.Give();
        Assert.That(IsGiven(), Is.True);
    }

    [Test]
    public void The_giver_does_not_run_the_callers_code()
    {
        var ranOn = 0;
        var continued = _turn.WaitAsync().ContinueWith(
            _ => ranOn = Environment.CurrentManagedThreadId, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        var giver = new Thread(_turn.Give);
        giver.Start();
        giver.Join();
        continued.Wait();
        Assert.That(ranOn, Is.Not.Zero.And.Not.EqualTo(giver.ManagedThreadId));
    }

    private Task Start() => mode == WaitMode.Async
        ? _turn.WaitAsync()
        : Task.Factory.StartNew(() => _turn.Wait(Timeout.Infinite), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private bool IsGiven() => mode == WaitMode.Async ? _turn.WaitAsync().IsCompleted : _turn.Wait(0);
}
