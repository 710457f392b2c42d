using Loxo.Transport;

namespace Loxo.Tests.Transport;

/// <summary>A loop goes on where the system has no thread left, and where nobody but the one that goes on has waited for it.</summary>
public sealed class LoopThreadTests
{
    private readonly List<TestLoop> _loops = [];
    private LoopCrew _crew = new(looks: false);
    private volatile bool _hasThreads = true;
    private int _started;

    [SetUp]
    public void Begin() => Begin(looks: false);

    [TearDown]
    public void End()
    {
        foreach (var loop in _loops)
            loop.End();
        _crew.End();
        _loops.Clear();
    }

    [Test]
    public void A_caller_that_keeps_the_thread_keeps_it_while_the_system_has_no_other()
    {
        var loop = Started();
        using var kept = new KeepingCaller();
        var other = new Caller();
        loop.Ready(kept, other);
        kept.AwaitBegin();
        _hasThreads = false;
        for (var i = 0; i < 3; i++)
            loop.Look();
        Assert.That(other.HasEnded, Is.False);
        _hasThreads = true;
        loop.Look();
        other.AwaitEnd();
        kept.LetGo();
        kept.AwaitEnd();
    }

    [Test]
    public void A_caller_that_says_that_it_blocks_may_do_so_without_another_thread()
    {
        var loop = Started();
        using var kept = new KeepingCaller { Says = true, Code = () => _hasThreads = false };
        var other = new Caller();
        loop.Ready(kept, other);
        kept.AwaitBegin();
        kept.LetGo();
        kept.AwaitEnd();
        other.AwaitEnd();
        Assert.That(other.Thread, Is.SameAs(kept.Thread));
    }

    [Test]
    public void Without_a_thread_for_it_a_caller_goes_on_in_the_thread_pool()
    {
        var loop = Started();
        _hasThreads = false;
        // More often than so many may go on apart at once.
        for (var i = 0; i < 20; i++)
        {
            var caller = Expected();
            loop.Ready(caller);
            caller.AwaitEnd();
            Assert.That(caller.WasInPool, Is.True);
        }
        _hasThreads = true;
        var last = Expected();
        loop.Ready(last);
        last.AwaitEnd();
        Assert.That(last.WasInPool, Is.False);

        static Caller Expected() => new() { Remembers = true, KeepsUntil = Environment.TickCount64 + 60_000 };
    }

    [Test]
    public void A_loop_that_cannot_be_watched_is_watched_as_soon_as_a_thread_is_to_be_had()
    {
        Begin(looks: true);
        var loop = Started();
        _hasThreads = false;
        var first = new Caller();
        loop.Ready(first);
        first.AwaitEnd();
        _hasThreads = true;
        using var kept = new KeepingCaller();
        var other = new Caller();
        loop.Ready(kept, other);
        other.AwaitEnd();
        Assert.That(kept.HasEnded, Is.False);
        kept.LetGo();
        kept.AwaitEnd();
    }

    [Test]
    public void A_loop_cannot_begin_without_a_thread()
    {
        _hasThreads = false;
        Assert.That(new TestLoop(_crew).Start, Throws.InstanceOf<OutOfMemoryException>());
    }

    [Test]
    [Platform("Linux")]
    public void A_reactor_that_cannot_begin_keeps_no_handle([Values] ReactorContinuations continuations)
    {
        _hasThreads = false;
        var before = Instances();
        for (var i = 0; i < 50; i++)
            Assert.That(() => new ReactorLoop(_crew, continuations), Throws.InstanceOf<OutOfMemoryException>());
        Assert.That(Instances(), Is.LessThan(before + 50));

        static int Instances() => new DirectoryInfo("/proc/self/fd").EnumerateFiles().Count(file => file.LinkTarget == "anon_inode:[eventpoll]");
    }

    // Of all who could watch the loop nobody has, because nobody else waited for it.
    [Test]
    public void What_a_lone_caller_hands_over_goes_on_though_it_keeps_the_thread()
    {
        Begin(looks: true);
        var loop = new LoneLoop(_crew);
        _loops.Add(loop);
        loop.Start();
        var handed = new WorkItem();
        using var kept = new KeepingCaller { Code = () => Assert.That(Loop.TryAddToCurrent(handed), Is.True) };
        loop.Ready(kept);
        handed.AwaitEnd();
        Assert.That(kept.HasEnded, Is.False);
        kept.LetGo();
        kept.AwaitEnd();
    }

    [Test]
    public void An_interrupt_that_comes_late_ends_no_thread_and_hits_no_other_caller()
    {
        var loop = Started();
        for (var i = 0; i < 3; i++)
        {
            // Whoever interrupts it has seen it block.
            var late = new Caller
            {
                Code = () =>
                {
                    Loop.AboutToBlock();
                    Thread.CurrentThread.Interrupt();
                },
            };
            var second = new Caller { Code = static () => Task.Delay(1).Wait() };
            loop.Ready(late, second);
            late.AwaitEnd();
            second.AwaitEnd();
            Assert.That(SpinWait.SpinUntil(() => _crew.StandingBy > 0, TimeSpan.FromSeconds(30)), Is.True);
        }
        Assert.That(_started, Is.EqualTo(2), "its threads are used again");
    }

    private void Begin(bool looks)
    {
        (_hasThreads, _started) = (true, 0);
        _crew = new LoopCrew(looks)
        {
            HasSeveralCores = false,
            StartThread = thread =>
            {
                if (!_hasThreads)
                    throw new OutOfMemoryException();
                _started++;
                thread.UnsafeStart();
            },
        };
    }

    private TestLoop Started()
    {
        var loop = new TestLoop(_crew);
        _loops.Add(loop);
        loop.Start();
        return loop;
    }

    /// <summary>As a lane whose only caller goes on.</summary>
    private sealed class LoneLoop(LoopCrew crew) : TestLoop(crew)
    {
        protected override bool IsAwaited => HasSeveralReady;
    }
}
