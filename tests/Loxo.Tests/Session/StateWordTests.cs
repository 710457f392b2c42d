using Loxo.Session;

namespace Loxo.Tests.Session;

public sealed class StateWordTests
{
    private StateWord _word = null!;

    [SetUp]
    public void NewWord() => _word = new StateWord();

    [Test]
    public void A_session_begins_by_opening_without_a_command() =>
        Assert.That((_word.State, _word.Number), Is.EqualTo((SessionState.Opening, 0L)));

    [Test]
    public void A_change_needs_the_state_it_starts_from_and_keeps_the_number()
    {
        GoTo(SessionState.Busy);
        var number = _word.Number;
        Assert.That(_word.TryChange(SessionState.Idle, SessionState.Broken), Is.False);
        Assert.That(_word.State, Is.EqualTo(SessionState.Busy));
        Assert.That(_word.TryChange(SessionState.Busy, SessionState.Idle), Is.True);
        Assert.That((_word.State, _word.Number), Is.EqualTo((SessionState.Idle, number)));
    }

    [TestCase(SessionState.Idle, true)]
    [TestCase(SessionState.Unsettled, true)]
    [TestCase(SessionState.Opening, false)]
    [TestCase(SessionState.Busy, false)]
    [TestCase(SessionState.Cancelling, false)]
    [TestCase(SessionState.Broken, false)]
    public void A_command_begins_and_a_number_is_skipped_only_where_no_command_runs(object state, bool isFree)
    {
        GoTo(state);
        var number = _word.Number;
        Assert.That(_word.IsFree(out _), Is.EqualTo(isFree));
        Assert.That(_word.TrySkip(), Is.EqualTo(isFree));
        Assert.That((_word.State, _word.Number), Is.EqualTo(((SessionState)state, isFree ? number + 1 : number)));
    }

    [TestCase(SessionState.Idle)]
    [TestCase(SessionState.Unsettled)]
    public void A_command_that_begins_has_the_next_number_and_is_told_the_former_state(object state)
    {
        GoTo(state);
        var number = _word.Number;
        Assert.That(_word.IsFree(out var moment), Is.True);
        Assert.That(_word.TryBegin(moment, out var former), Is.True);
        Assert.That((former, _word.State, _word.Number), Is.EqualTo(((SessionState)state, SessionState.Busy, number + 1)));
    }

    [Test]
    public void Of_two_commands_that_begin_at_the_same_moment_one_begins()
    {
        GoTo(SessionState.Idle);
        _word.IsFree(out var moment);
        Assert.That(_word.TryBegin(moment, out _), Is.True);
        Assert.That(_word.TryBegin(moment, out _), Is.False);
        Assert.That(_word.Number, Is.EqualTo(1));
    }

    [Test]
    public void A_command_does_not_begin_when_another_one_has_come_and_gone_meanwhile()
    {
        GoTo(SessionState.Idle);
        _word.IsFree(out var moment);
        Run();
        Assert.That(_word.TryBegin(moment, out _), Is.False);
        Assert.That(_word.State, Is.EqualTo(SessionState.Idle));
    }

    [Test]
    public void A_command_does_not_begin_when_its_number_was_skipped_meanwhile()
    {
        GoTo(SessionState.Idle);
        _word.IsFree(out var moment);
        Assert.That(_word.TrySkip(), Is.True);
        Assert.That(_word.TryBegin(moment, out _), Is.False);
    }

    [Test]
    public void A_running_command_is_cancelled_once()
    {
        GoTo(SessionState.Busy);
        Assert.That(_word.TryCancel(_word.Number), Is.True);
        Assert.That((_word.State, _word.Number), Is.EqualTo((SessionState.Cancelling, 1L)));
        Assert.That(_word.TryCancel(_word.Number), Is.False);
    }

    [Test]
    public void A_command_that_has_ended_is_not_cancelled_and_neither_is_the_one_after_it()
    {
        GoTo(SessionState.Idle);
        Run();
        var ended = _word.Number;
        Assert.That(_word.TryCancel(ended), Is.False);
        _word.IsFree(out var moment);
        _word.TryBegin(moment, out _);
        Assert.That(_word.TryCancel(ended), Is.False);
        Assert.That((_word.State, _word.IsRunning(ended), _word.IsRunning(ended + 1)), Is.EqualTo((SessionState.Busy, false, true)));
    }

    [TestCase(SessionState.Idle, false)]
    [TestCase(SessionState.Unsettled, false)]
    [TestCase(SessionState.Busy, true)]
    [TestCase(SessionState.Cancelling, true)]
    [TestCase(SessionState.Broken, false)]
    public void A_command_runs_until_its_end_or_the_sessions(object state, bool isRunning)
    {
        GoTo(state);
        Assert.That(_word.IsRunning(_word.Number), Is.EqualTo(isRunning));
    }

    [Test]
    public void A_broken_session_keeps_its_number_tells_what_it_was_and_stays_broken()
    {
        GoTo(SessionState.Cancelling);
        Assert.That(_word.Break(), Is.EqualTo(SessionState.Cancelling));
        Assert.That(_word.Break(), Is.EqualTo(SessionState.Broken));
        Assert.That((_word.State, _word.Number), Is.EqualTo((SessionState.Broken, 1L)));
        Assert.That(_word.TryChange(SessionState.Cancelling, SessionState.Unsettled), Is.False);
        Assert.That(_word.TryCancel(1), Is.False);
    }

    [Test]
    public void Numbers_do_not_run_into_the_state()
    {
        GoTo(SessionState.Idle);
        for (var i = 0; i < 70_000; i++)
            Assert.That(_word.TrySkip(), Is.True);
        Assert.That((_word.State, _word.Number), Is.EqualTo((SessionState.Idle, 70_000L)));
    }

    [TestCase(SessionState.Idle, true)]
    [TestCase(SessionState.Unsettled, false)]
    [TestCase(SessionState.Opening, false)]
    [TestCase(SessionState.Busy, false)]
    [TestCase(SessionState.Broken, false)]
    public void Only_an_idle_session_is_borrowed_and_it_looks_the_same_before_while_and_after(object state, bool isLent)
    {
        GoTo(state);
        var number = _word.Number;
        Assert.That(_word.TryBorrow(), Is.EqualTo(isLent));
        Assert.That((_word.State, _word.Number), Is.EqualTo(((SessionState)state, number)));
        Assert.That(_word.TryBorrow(), Is.False);
        _word.Return();
        Assert.That((_word.State, _word.Number, _word.TryBorrow()), Is.EqualTo(((SessionState)state, number, isLent)));
    }

    [Test]
    public void To_its_borrower_a_session_is_in_use_and_it_can_be_broken()
    {
        GoTo(SessionState.Idle);
        _word.TryBorrow();
        Assert.That((_word.IsFree(out _), _word.TrySkip()), Is.EqualTo((false, false)));
        Assert.That(_word.Break(), Is.Not.EqualTo(SessionState.Idle));
        _word.Return();
        Assert.That(_word.State, Is.EqualTo(SessionState.Broken));
    }

    [Test]
    public void A_command_that_has_looked_before_begins_after()
    {
        GoTo(SessionState.Idle);
        _word.IsFree(out var moment);
        _word.TryBorrow();
        var beginning = Task.Run(() => _word.TryBegin(moment, out _));
        Assert.That(_word.State, Is.EqualTo(SessionState.Idle));
        _word.Return();
        Assert.That(beginning.Result, Is.True);
        Assert.That(_word.State, Is.EqualTo(SessionState.Busy));
    }

    [Test]
    public void Whoever_needs_a_borrowed_session_waits_until_it_is_returned([Values] bool isBroken)
    {
        GoTo(SessionState.Idle);
        _word.TryBorrow();
        Task<bool>[] waiting = [Task.Run(() => _word.IsFree(out _)), Task.Run(() => _word.TrySkip())];
        if (isBroken)
            _word.Break();
        _word.Return();

        Assert.That(waiting.Select(task => task.Result), Is.All.EqualTo(!isBroken));
    }

    // One thread borrows as often as it can, others run commands and end rentals: none of them is ever refused for it.
    [Test]
    public void Nobody_is_refused_because_of_a_borrower()
    {
        GoTo(SessionState.Idle);
        var isOver = false;
        var refused = 0;
        var lent = 0;
        var borrower = new Thread(() =>
        {
            while (!Volatile.Read(ref isOver))
            {
                if (!_word.TryBorrow())
                    continue;
                lent++;
                _word.Return();
            }
        });
        borrower.Start();
        for (var i = 0; i < 200_000 || lent == 0; i++)
        {
            if (!_word.IsFree(out var moment) || !_word.TryBegin(moment, out _) || !_word.TryChange(SessionState.Busy, SessionState.Idle))
                refused++;
            if (!_word.TrySkip())
                refused++;
        }
        Volatile.Write(ref isOver, true);
        borrower.Join();

        Assert.That((refused, _word.State, _word.TryBorrow()), Is.EqualTo((0, SessionState.Idle, true)));
    }

    private void Run()
    {
        _word.IsFree(out var moment);
        _word.TryBegin(moment, out _);
        _word.TryChange(SessionState.Busy, SessionState.Idle);
    }

    private void GoTo(object state) => GoTo((SessionState)state);

    private void GoTo(SessionState state)
    {
        if (state == SessionState.Opening)
            return;
        _word.TryChange(SessionState.Opening, SessionState.Idle);
        if (state == SessionState.Broken)
            _word.Break();
        if (state is SessionState.Idle or SessionState.Broken)
            return;
        _word.IsFree(out var moment);
        _word.TryBegin(moment, out _);
        if (state != SessionState.Busy)
            _word.TryCancel(_word.Number);
        if (state == SessionState.Unsettled)
            _word.TryChange(SessionState.Cancelling, SessionState.Unsettled);
        Assert.That(_word.State, Is.EqualTo(state));
    }
}
