using System.Collections.Concurrent;
using Loxo.Transport;

namespace Loxo.Tests.Transport;

/// <summary>Callers continue on the thread of a loop, and those that keep it hold up nobody for long.</summary>
public sealed class LoopTests
{
    private readonly List<TestLoop> _loops = [];
    private LoopCrew _crew = new(looks: true);

    [SetUp]
    public void Begin() => _crew = new LoopCrew(looks: true) { HasSeveralCores = false };

    [TearDown]
    public void End()
    {
        foreach (var loop in _loops)
            loop.End();
        _crew.End();
        _loops.Clear();
    }

    [Test]
    public void Callers_go_on_one_after_the_other_on_the_thread_that_waits()
    {
        var loop = Started();
        var first = new Caller();
        var second = new Caller();
        loop.Ready(first, second);
        second.AwaitEnd();
        Assert.Multiple(() =>
        {
            Assert.That(first.Thread, Is.Not.Null.And.SameAs(second.Thread));
            Assert.That(first.Thread, Is.SameAs(loop.WaitingThread));
            Assert.That(first.WasInPool, Is.False);
        });
    }

    [Test]
    public void A_caller_that_keeps_the_thread_does_not_hold_up_the_others()
    {
        var loop = Started();
        using var kept = new KeepingCaller();
        var others = Enumerable.Range(0, 3).Select(static _ => new Caller()).ToArray();
        loop.Ready([kept, .. others]);
        foreach (var other in others)
            other.AwaitEnd();
        Assert.That(kept.HasEnded, Is.False);
        var late = new Caller();
        loop.Ready(late);
        late.AwaitEnd();
        kept.LetGo();
        kept.AwaitEnd();
    }

    [Test]
    public void The_second_look_at_a_caller_that_keeps_the_thread_replaces_it()
    {
        _crew = new LoopCrew(looks: false) { HasSeveralCores = false };
        var loop = Started();
        using var kept = new KeepingCaller();
        var other = new Caller();
        loop.Ready(kept, other);
        kept.AwaitBegin();
        _crew.Look();
        _crew.Look();
        other.AwaitEnd();
        Assert.That(kept.HasEnded, Is.False);
        kept.LetGo();
        kept.AwaitEnd();
    }

    [Test]
    public void A_loop_with_nothing_to_do_is_watched_no_more()
    {
        _crew = new LoopCrew(looks: false) { HasSeveralCores = false };
        var loop = Started();
        RunOne(loop);
        // The first look sees that it has had something to do.
        var looks = Enumerable.Range(0, LoopCrew.MostLooksInVain + 1).Select(_ => loop.Look()).ToArray();
        Assert.That(looks[..^1], Is.All.True);
        Assert.That(looks[^1], Is.False);
    }

    [Test]
    public void A_loop_that_had_nothing_to_do_is_watched_again_when_somebody_waits_for_it()
    {
        _crew = new LoopCrew(looks: false) { HasSeveralCores = false };
        var loop = Started();
        RunOne(loop);
        for (var i = 0; i <= LoopCrew.MostLooksInVain; i++)
            _crew.Look();
        using var kept = new KeepingCaller();
        var other = new Caller();
        loop.Ready(kept, other);
        kept.AwaitBegin();
        _crew.Look();
        _crew.Look();
        other.AwaitEnd();
        Assert.That(kept.HasEnded, Is.False);
        kept.LetGo();
        kept.AwaitEnd();
    }

    [Test]
    public void A_loop_with_a_caller_that_keeps_it_stays_watched_where_no_thread_can_take_it_over()
    {
        var hasThreads = true;
        _crew = new LoopCrew(looks: false)
        {
            HasSeveralCores = false,
            StartThread = thread => (hasThreads ? thread.UnsafeStart : new Action(static () => throw new OutOfMemoryException()))(),
        };
        var loop = Started();
        using var kept = new KeepingCaller();
        loop.Ready(kept);
        kept.AwaitBegin();
        hasThreads = false;
        Assert.That(Enumerable.Range(0, 5 * LoopCrew.MostLooksInVain).Select(_ => loop.Look()), Is.All.True);
        kept.LetGo();
        kept.AwaitEnd();
    }

    [Test]
    public void A_caller_that_says_that_it_blocks_is_replaced_at_once()
    {
        _crew = new LoopCrew(looks: false);
        var loop = Started();
        using var kept = new KeepingCaller { Says = true };
        var other = new Caller();
        loop.Ready(kept, other);
        other.AwaitEnd();
        Assert.That(kept.HasEnded, Is.False);
        kept.LetGo();
        kept.AwaitEnd();
    }

    [Test]
    public void A_caller_that_says_so_elsewhere_changes_nothing()
    {
        var loop = Started();
        Loop.AboutToBlock();
        var caller = new Caller();
        loop.Ready(caller);
        caller.AwaitEnd();
        Assert.That(caller.Thread, Is.SameAs(loop.WaitingThread));
    }

    [Test]
    public void What_a_caller_hands_to_the_loop_goes_on_behind_the_callers()
    {
        var loop = Started();
        var handed = new WorkItem();
        var first = new Caller { Code = () => Assert.That(Loop.TryAddToCurrent(handed), Is.True) };
        var second = new Caller { Code = () => Assert.That(handed.Thread, Is.Null) };
        loop.Ready(first, second);
        second.AwaitEnd();
        handed.AwaitEnd();
        Assert.That(handed.Thread, Is.SameAs(first.Thread));
    }

    [Test]
    public void What_comes_while_nobody_is_resumed_is_not_taken()
    {
        var handed = new WorkItem();
        Assert.That(Loop.TryAddToCurrent(handed), Is.False, "on a thread of no loop");
        var loop = Started();
        var refused = new List<bool>();
        loop.Between = () => refused.Add(!Loop.TryAddToCurrent(handed));
        var first = new Caller();
        loop.Ready(first);
        first.AwaitEnd();
        var second = new Caller();
        loop.Ready(second);
        second.AwaitEnd();
        Assert.That(refused, Is.Not.Empty.And.All.True);
    }

    [Test]
    public void What_a_caller_hands_over_before_it_keeps_the_thread_goes_on_elsewhere()
    {
        var loop = Started();
        var handed = new WorkItem();
        using var kept = new KeepingCaller { Says = true, Code = () => Assert.That(Loop.TryAddToCurrent(handed), Is.True) };
        loop.Ready(kept);
        handed.AwaitEnd();
        Assert.That(kept.HasEnded, Is.False);
        kept.LetGo();
        kept.AwaitEnd();
    }

    [Test]
    public void A_thread_that_was_kept_is_used_again()
    {
        var loop = Started();
        var threads = new HashSet<Thread>();
        for (var i = 0; i < 2; i++)
        {
            using var kept = new KeepingCaller { Says = true };
            var other = new Caller();
            loop.Ready(kept, other);
            other.AwaitEnd();
            kept.LetGo();
            kept.AwaitEnd();
            threads.UnionWith([kept.Thread!, other.Thread!]);
            // It stands by when it has nothing to do any more.
            SpinWait.SpinUntil(() => _crew.StandingBy > 0);
        }
        Assert.That(threads, Has.Count.EqualTo(2));
    }

    [Test]
    public void A_loop_whose_callers_often_keep_it_resumes_them_in_the_thread_pool()
    {
        var loop = Started();
        for (var i = 0; i < 3; i++)
        {
            using var kept = new KeepingCaller { Says = true };
            var other = new Caller();
            loop.Ready(kept, other);
            other.AwaitEnd();
            kept.LetGo();
            kept.AwaitEnd();
        }
        var late = new Caller();
        loop.Ready(late);
        late.AwaitEnd();
        Assert.That(late.WasInPool, Is.True);
    }

    [Test]
    public void A_caller_that_has_kept_its_thread_is_expected_to_do_so_for_a_while()
    {
        var loop = Started();
        using var kept = new KeepingCaller { Says = true, Remembers = true };
        var other = new Caller { Remembers = true };
        loop.Ready(kept, other);
        other.AwaitEnd();
        kept.LetGo();
        kept.AwaitEnd();
        Assert.That(kept.KeepsUntil, Is.InRange(Environment.TickCount64 - 30_000, Environment.TickCount64 + Loop.ElsewhereMilliseconds));
        Assert.That(other.KeepsUntil, Is.Zero);
    }

    [Test]
    public void A_caller_that_is_expected_to_keep_its_thread_goes_on_apart_and_holds_up_nobody()
    {
        _crew = new LoopCrew(looks: false) { HasSeveralCores = false };
        var loop = Started();
        for (var i = 0; i < 5; i++)
        {
            using var kept = new KeepingCaller { Remembers = true, KeepsUntil = Environment.TickCount64 + 60_000 };
            var other = new Caller();
            // Without anybody who looks, and without a word of the caller.
            loop.Ready(kept, other);
            other.AwaitEnd();
            kept.AwaitBegin();
            Assert.That(kept.WasInPool || other.WasInPool, Is.False);
            Assert.That(other.Thread, Is.SameAs(loop.WaitingThread).And.Not.SameAs(kept.Thread));
            kept.LetGo();
            kept.AwaitEnd();
        }
        Assert.That(loop.Leads, Is.EqualTo(1));
    }

    [Test]
    public void A_caller_that_keeps_its_thread_apart_stays_apart_and_another_comes_back()
    {
        var loop = Started();
        var begin = Environment.TickCount64;
        var slow = new Caller { Remembers = true, KeepsUntil = begin + 60_000, Code = static () => Task.Delay(100).Wait() };
        var quick = new Caller { Remembers = true, KeepsUntil = begin + 60_000 };
        loop.Ready(slow, quick);
        slow.AwaitEnd();
        quick.AwaitEnd();
        SpinWait.SpinUntil(() => slow.KeepsUntil != begin + 60_000, TimeSpan.FromSeconds(30));
        Assert.That(slow.KeepsUntil, Is.Not.EqualTo(begin + 60_000));
        Assert.That(quick.KeepsUntil, Is.EqualTo(begin + 60_000));
        var back = new Caller { Remembers = true, KeepsUntil = Environment.TickCount64 - 1 };
        loop.Ready(back);
        back.AwaitEnd();
        Assert.That(back.Thread, Is.SameAs(loop.WaitingThread));
    }

    [Test]
    public void A_caller_that_is_quick_apart_comes_back_however_often_it_goes_on()
    {
        var loop = Started();
        var (until, marks) = (Environment.TickCount64 + 60_000, 0);
        // So long that the system's clock advances during several of them.
        for (var i = 0; i < 2000; i++)
        {
            var quick = new Caller { Remembers = true, KeepsUntil = until, Code = static () => Thread.SpinWait(500) };
            loop.Ready(quick);
            quick.AwaitEnd();
            marks += quick.KeepsUntil == until ? 0 : 1;
        }
        // The garbage collector may block some.
        Assert.That(marks, Is.LessThan(3));
    }

    [Test]
    public void When_many_callers_go_on_apart_the_next_of_them_goes_on_in_the_thread_pool()
    {
        // One that looks replaces the thread of a caller that the machine held up.
        _crew = new LoopCrew(looks: false) { HasSeveralCores = false };
        var loop = Started();
        var kept = Enumerable.Range(0, 16).Select(static _ => Expected()).ToArray();
        loop.Ready([.. kept]);
        foreach (var caller in kept)
            caller.AwaitBegin();
        using var late = Expected();
        late.LetGo();
        loop.Ready(late);
        late.AwaitEnd();
        Assert.That(late.WasInPool, Is.True);
        var other = new Caller();
        loop.Ready(other);
        other.AwaitEnd();
        Assert.That(other.Thread, Is.SameAs(loop.WaitingThread));
        foreach (var caller in kept)
        {
            caller.LetGo();
            caller.AwaitEnd();
            caller.Dispose();
        }

        static KeepingCaller Expected() => new() { Remembers = true, KeepsUntil = Environment.TickCount64 + 60_000 };
    }

    [Test]
    public void When_callers_keep_many_threads_the_others_are_resumed_in_the_thread_pool()
    {
        var kept = Enumerable.Range(0, 32).Select(static _ => new KeepingCaller { Says = true }).ToArray();
        foreach (var caller in kept)
        {
            // Each of another loop: no loop has more than one of them.
            Started().Ready(caller);
            caller.AwaitBegin();
        }
        var late = new Caller();
        Started().Ready(late);
        late.AwaitEnd();
        Assert.That(late.WasInPool, Is.True);
        foreach (var caller in kept)
        {
            caller.LetGo();
            caller.AwaitEnd();
            caller.Dispose();
        }
        SpinWait.SpinUntil(() => !_crew.IsFull);
        var last = new Caller();
        Started().Ready(last);
        last.AwaitEnd();
        Assert.That(last.WasInPool, Is.False);
    }

    [Test]
    public void A_long_round_of_short_callers_gets_a_second_thread_where_there_are_several_cores()
    {
        _crew = new LoopCrew(looks: false) { HasSeveralCores = true };
        var loop = Started();
        using var replaced = new ManualResetEventSlim();
        var threads = new ConcurrentDictionary<Thread, bool>();
        // The crew looks at two callers of the same round.
        var callers = Enumerable.Range(0, 10).Select(i => new Caller
        {
            Code = () =>
            {
                threads.TryAdd(Thread.CurrentThread, true);
                if (threads.Count > 1)
                    replaced.Set();
                else if (i < 2)
                    _crew.Look();
                else
                    replaced.Wait(TimeSpan.FromSeconds(10));
            },
        }).ToArray();
        loop.Ready([.. callers]);
        foreach (var caller in callers)
            caller.AwaitEnd();
        Assert.That(threads, Has.Count.GreaterThan(1));
    }

    [Test]
    public void What_a_caller_leaves_on_the_thread_does_not_reach_the_next()
    {
        var loop = Started();
        var local = new AsyncLocal<string>();
        var first = new Caller
        {
            Code = () =>
            {
                local.Value = "of the first";
                SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
            },
        };
        (string? Local, SynchronizationContext? Context) seen = ("unset", null);
        var second = new Caller { Code = () => seen = (local.Value, SynchronizationContext.Current) };
        local.Value = "of the starter";
        loop.Ready(first, second);
        second.AwaitEnd();
        Assert.That(seen, Is.EqualTo(((string?)null, (SynchronizationContext?)null)));
    }

    [Test]
    public void A_round_ends_when_all_its_callers_have_gone_on()
    {
        var loop = Started();
        var first = new Caller();
        var second = new Caller { Code = () => Assert.That(loop.Rounds, Is.Zero) };
        loop.Ready(first, second);
        second.AwaitEnd();
        SpinWait.SpinUntil(() => loop.Rounds == 1);
    }

    private static void RunOne(TestLoop loop)
    {
        var quick = new Caller();
        loop.Ready(quick);
        quick.AwaitEnd();
        Assert.That(SpinWait.SpinUntil(() => loop.Rounds == 1, TimeSpan.FromSeconds(30)), Is.True);
    }

    private TestLoop Started()
    {
        var loop = new TestLoop(_crew);
        _loops.Add(loop);
        loop.Start();
        return loop;
    }
}
