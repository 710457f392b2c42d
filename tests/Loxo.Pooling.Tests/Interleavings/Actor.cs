using Loxo.Pooling.Core;

namespace Loxo.Pooling.Tests.Interleavings;

internal enum ActorStatus
{
    Ready,

    /// <summary>Waits for the lock.</summary>
    AtGate,

    /// <summary>Waits in the pool's line.</summary>
    InLine,

    Finished,
}

/// <summary>Thrown through an actor to end a run in which something was found.</summary>
internal sealed class RunAbandonedException : Exception;

/// <summary>One caller of the pool: a thread that runs only while it has the baton.</summary>
internal sealed class Actor
{
    [ThreadStatic]
    private static Actor? _current;

    private readonly Scheduler _scheduler;
    // It does not spin, unlike SemaphoreSlim: the others need the processor.
    private readonly AutoResetEvent _baton = new(false);
    private readonly Thread _thread;
    private Run _run = null!;
    private Knowledge _knowledge = null!;
    private bool _stopped;

    public Actor(Scheduler scheduler, int id)
    {
        _scheduler = scheduler;
        Id = id;
        _thread = new Thread(Live, 256 * 1024) { IsBackground = true, Name = $"actor {id}" };
        _thread.Start();
    }

    /// <summary>The actor whose thread this is; null for other threads.</summary>
    public static Actor? Current => _current;

    public int Id { get; }

    public ActorStatus Status { get; private set; } = ActorStatus.Finished;

    /// <summary>What it does next, once it has the baton.</summary>
    public Point At { get; private set; }

    /// <summary>What it does: the same for actors with the same program.</summary>
    public int Kind { get; private set; }

    /// <summary>All that makes it go on in one way and not another, but for where it stands in line.</summary>
    public ulong Hashed => Hash.Mix(Hash.Mix(_knowledge.Value, (ulong)Kind), ((ulong)Status << 8) | (ulong)At, (_knowledge.IsDoomed ? 2UL : 0) + (IsBetween ? 1UL : 0));

    /// <summary>Whether it is about to begin an operation, or has ended the last.</summary>
    public bool IsBetween { get; private set; }

    public Waiter<Thing>? Waiter { get; private set; }

    public bool MayTimeOut { get; private set; }

    public bool TimesOut { get; set; }

    /// <summary>What it has rented.</summary>
    public List<Rental<Thing>> Rentals { get; } = [];

    /// <summary>What the policy does to it when it opens or checks something.</summary>
    public bool FailsToOpen { get; set; }

    public void Prepare(Run run, int kind)
    {
        _run = run;
        _knowledge = new Knowledge(run.View, _scheduler.Omitted != Point.ChangeTag);
        (Kind, Status, At, IsBetween, Waiter, TimesOut, FailsToOpen) = (kind, ActorStatus.Ready, default, true, null, false, false);
        Rentals.Clear();
    }

    public void TakeBaton() => _baton.WaitOne();

    public void GiveBaton() => _baton.Set();

    public void Stop()
    {
        _stopped = true;
        GiveBaton();
        _thread.Join();
    }

    /// <summary>Lets others come in. False if the pool is to leave this step out.</summary>
    public bool Step(Point point)
    {
        if (IsOnlyOmitted(point))
        {
            _scheduler.Reached(this, point);
            return point != _scheduler.Omitted || (point == Point.SpareWaiterPushed && LinkIsUnchanged());
        }
        At = point;
        if (_scheduler.Matters(point))
            _scheduler.Choose(this);
        IsBetween = false;
        _scheduler.Reached(this, point);
        _knowledge.Add(point, _scheduler.Seen(point));
        return point != _scheduler.Omitted;
    }

    public void EnterGate()
    {
        while (!_scheduler.TryEnterGate(this))
        {
            Status = ActorStatus.AtGate;
            _scheduler.Choose(this);
            Status = ActorStatus.Ready;
        }
        Learn(Hash.Mix(_scheduler.SeenUnderGate(), (ulong)(Waiter?.State ?? 0)));
    }

    public void ExitGate() => _scheduler.ExitGate(this);

    public bool Block(Waiter<Thing> waiter, bool mayTimeOut)
    {
        var woken = WaitInLine(waiter, mayTimeOut);
        Learn(woken ? 11u : 13u);
        return woken;
    }

    public void Awaits(Waiter<Thing> waiter) => Waiter = waiter;

    /// <summary>Goes on with an asynchronous operation, on this thread, whenever its waiter is woken, until it has ended.</summary>
    public void Await(Task task)
    {
        while (!task.IsCompleted)
        {
            var waiter = Waiter ?? throw new InvalidOperationException("It awaits something that is not the pool's.");
            WaitInLine(waiter, mayTimeOut: false);
            Learn(17);
            waiter.Signal();
        }
    }

    public void Wake(Waiter<Thing> waiter) => _scheduler.Wake(waiter);

    /// <summary>Others may come in here, while it is not in the middle of anything yet.</summary>
    public void BeginOperation()
    {
        At = default;
        _scheduler.Choose(this);
        IsBetween = false;
    }

    public void Learn(ulong seen) => _knowledge.Add(seen);

    // Nothing that happens at these points can be seen by others.
    private static bool IsOnlyOmitted(Point point) =>
        point is Point.ChangeTag or Point.RefuseClaim or Point.AnnounceWaiter or Point.LeaveLine or Point.ServeAfterFailure or Point.SpareWaiterPushed;

    // The mistake of comparing with the pushed waiter's link, which its next user may have changed, instead of with what was read before.
    private bool LinkIsUnchanged()
    {
        var pushed = _run.View.Returned!;
        var next = pushed.Next;
        _scheduler.Choose(this);
        return pushed.Next == next;
    }

    private bool WaitInLine(Waiter<Thing> waiter, bool mayTimeOut)
    {
        (Waiter, MayTimeOut, TimesOut) = (waiter, mayTimeOut, false);
        if (!_scheduler.IsSignalled(waiter))
        {
            Status = ActorStatus.InLine;
            _scheduler.Choose(this);
            Status = ActorStatus.Ready;
        }
        IsBetween = false;
        Waiter = null;
        var woken = !TimesOut && _scheduler.TakeSignal(waiter);
        Learn(Hash.Mix((ulong)waiter.State, (ulong)(waiter.Slot?.Index ?? -1), (ulong)waiter.Generation));
        return woken;
    }

    private void Live()
    {
        _current = this;
        while (true)
        {
            TakeBaton();
            if (_stopped)
                return;
            Run();
            Status = ActorStatus.Finished;
            (IsBetween, At) = (true, default);
            _knowledge.Begin(0);
            _scheduler.Ended();
        }
    }

    private void Run()
    {
        try
        {
            var operations = _run.Programs[Id];
            for (var i = 0; i < operations.Length; i++)
            {
                // What it knows from earlier operations is what it holds.
                _knowledge.Begin(Rentals.Aggregate((ulong)i, static (hash, rental) => Hash.Mix(hash, (ulong)rental.Slot!.Index)));
                IsBetween = true;
                operations[i].Do(this);
            }
        }
        catch (Exception) when (_scheduler.IsAbandoned)
        {
            // The scheduler has noted why.
        }
        catch (Exception error)
        {
            _scheduler.Violated($"{error.GetType().Name}: {error.Message}\n{error.StackTrace}");
        }
    }
}
