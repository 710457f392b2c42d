namespace Loxo.Commands.Interleaved;

/// <summary>
/// Runs the threads of a scenario, the lane's own and the work items that they queue, one at a time, and tries every order of their steps,
/// depth first. A step goes from one <see cref="Point"/> to the next. A thread that could have gone on is interrupted at most
/// <paramref name="preemptions"/> times in a run; when a wait times out is not bounded.
/// </summary>
/// <remarks>
/// What the wire does is one step, too, up to the next receive. A caller that waits there for its turn is seen to be blocked. It may be woken
/// while another thread takes a step, and both run up to the next <see cref="Point"/> of the first.
/// </remarks>
internal sealed class LaneScheduler(int preemptions)
{
    private const int MostSteps = 3000;

    // So many orders are tried even if there is no time for them. Fewer say nothing about how often something happens.
    private const int LeastRuns = 300;

    // At random, a thread that could go on is interrupted in one of so many steps.
    private static readonly int[] Rarities = [1, 10, 40];

    // One that was woken waits for a processor for as long as others use them all. Only a run that fails lasts so long.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    [ThreadStatic]
    private static LaneScheduler? _active;

    [ThreadStatic]
    private static Actor? _current;

    [ThreadStatic]
    private static int _sections;

    private readonly List<(int Options, int Taken)> _path = [];
    private readonly Stack<Actor> _idle = [];
    private readonly List<string> _trace = [];
    // Replaced when one is added, which one that was blocked may do at any moment.
    private List<Actor> _actors = [];
    private Lock? _gate;
    private bool _isCancelling;
    private Random? _random;
    private int _rarity;
    private long _now;
    private int _position;

    /// <summary>The number of orders that were tried.</summary>
    public int Runs { get; private set; }

    /// <summary>The number of steps behind which a thread was really blocked, so that others went on beside it.</summary>
    public int StepsBesideBlocked { get; private set; }

    /// <summary>What went wrong first, with the steps that led there; null for nothing.</summary>
    public string? Failure { get; private set; }

    /// <summary>The clock, which a scenario moves.</summary>
    public static long Now
    {
        get => _active?._now ?? 0;
        set => _active!._now = value;
    }

    /// <summary>Another thread may go on here, unless this one holds a lock.</summary>
    public static void Point()
    {
        if (_current is { } actor && _sections == 0 && actor.Scheduler._gate is not { IsHeldByCurrentThread: true })
            actor.Pause(null, mayTimeOut: false);
    }

    /// <summary>Goes on when the condition holds.</summary>
    public static void WaitUntil(Func<bool> condition) => _current?.Pause(condition, mayTimeOut: false);

    public static void EnterSection() => _sections++;

    public static void LeaveSection() => _sections--;

    /// <summary>Leaves the lock until another thread pulses. False when the time is over.</summary>
    public static bool WaitForPulse(object monitor, bool mayTimeOut)
    {
        var actor = _current!;
        (actor.WaitsFor, actor.TimedOut) = (monitor, false);
        System.Threading.Monitor.Exit(monitor);
        _sections--;
        actor.Pause(() => actor.WaitsFor is null, mayTimeOut);
        _sections++;
        System.Threading.Monitor.Enter(monitor);
        actor.WaitsFor = null;
        return !actor.TimedOut;
    }

    public static void Pulse(object monitor)
    {
        if (_active!._actors.Find(actor => ReferenceEquals(actor.WaitsFor, monitor)) is { } waiting)
            waiting.WaitsFor = null;
    }

    /// <summary>Another thread, or a work item.</summary>
    public static void Begin(Action program, bool isLane)
    {
        var scheduler = _active!;
        lock (scheduler._idle)
        {
            var actor = scheduler._idle.TryPop(out var idle) ? idle : new Actor(scheduler);
            actor.Prepare(program, isLane);
            scheduler._actors = [.. scheduler._actors, actor];
        }
    }

    /// <summary>Cancels a token, for which <see cref="AwaitCancelled"/> waits.</summary>
    public static void Cancel(CancellationTokenSource source)
    {
        var scheduler = _active!;
        scheduler._isCancelling = true;
        source.Cancel();
        scheduler._isCancelling = false;
    }

    /// <summary>Goes on when no token is being cancelled.</summary>
    public static void AwaitCancelled()
    {
        var scheduler = _active!;
        WaitUntil(() => !scheduler._isCancelling);
    }

    /// <summary>Tries all orders; if there are too many, the first ones, and others at random. Both take turns, so that no time is too short for either.</summary>
    /// <param name="begin">Begins a run on the calling thread, and returns the lock that makes several steps one, what is checked in
    /// the end, and how the lane's thread is ended.</param>
    /// <param name="most">So many orders are tried.</param>
    /// <param name="run">Its time is a limit, too; and its seed chooses all but a few of the orders.</param>
    public void Explore(Func<(Lock Gate, Func<string?> Check, Action End)> begin, int most, LongRun? run = null)
    {
        var inOrder = run is null ? most / 2 : most / 50;
        _active = this;
        try
        {
            do
            {
                Runs++;
                (_position, _now, _gate, _isCancelling) = (0, 1_000_000, null, false);
                _trace.Clear();
                (_gate, var check, var end) = begin();
                if ((Run() ?? check()) is { } failure)
                    Failure = $"run {Runs}: {failure}\n{string.Join(' ', _trace)}";
                end();
                Finish();
            }
            while (Failure is null && Runs < most && (Runs < LeastRuns || run?.GoesOn != false) && ChooseNext(inOrder, run));
            run?.Report(Runs, _path.Count == 0 ? Runs : most, "orders");
        }
        finally
        {
            _active = null;
        }
    }

    private string? Run()
    {
        var left = preemptions;
        for (Actor? last = null; ;)
        {
            List<(Actor Actor, bool TimesOut)> options = [];
            // One that was blocked may come to its next step at any moment: from here on it is left for the next look.
            var settled = _actors.FindAll(static actor => actor.IsSettled);
            var isAll = settled.Count == _actors.Count;
            var goesOn = settled.Exists(actor => actor == last && actor.CanGoOn);
            if (goesOn)
                options.Add((last!, false));
            if (!goesOn || left > 0)
                options.AddRange(settled.Where(actor => actor != last && actor.CanGoOn).Select(static actor => (actor, false)));
            options.AddRange(settled.Where(static actor => actor is { MayTimeOut: true, CanGoOn: false }).Select(static actor => (actor, true)));
            if (options.Count == 0)
            {
                if (!isAll && Settle(Patience))
                    continue;
                return !isAll || settled.Exists(static actor => actor is { HasEnded: false, IsLane: false }) ? "somebody waits for ever" : null;
            }
            if (_trace.Count > MostSteps)
                return "it does not end";
            var (next, timesOut) = options[Choose(options.Count, goesOn)];
            left -= goesOn && next != last && !timesOut ? 1 : 0;
            _trace.Add($"{_actors.IndexOf(next)}{(timesOut ? "t" : "")}");
            next.TimedOut |= timesOut;
            last = next;
            next.Go();
            StepsBesideBlocked += Settle(TimeSpan.Zero) ? 0 : 1;
            if (_actors.Find(static actor => actor.Failure is not null) is { } failed)
                return failed.Failure;
        }
    }

    // Waits until each thread has come to its next step, or is blocked. False if one is still blocked when the time is over.
    private bool Settle(TimeSpan patience)
    {
        var watch = System.Diagnostics.Stopwatch.StartNew();
        var blocked = 0;
        for (var spin = default(SpinWait); _actors.Exists(static actor => !actor.IsSettled);)
        {
            // The next step of one that has just been woken belongs to this one.
            blocked = _actors.TrueForAll(static actor => actor.IsSettled || actor.IsBlocked) ? blocked + 1 : 0;
            if (blocked > 20 && watch.Elapsed >= patience)
                return false;
            if (blocked > 20)
                System.Threading.Thread.Sleep(1);
            else if (blocked > 0)
                System.Threading.Thread.SpinWait(200);
            else
                spin.SpinOnce(sleep1Threshold: -1);
        }
        return true;
    }

    // The threads that are left come to their end in any order.
    private void Finish()
    {
        for (var steps = 0; steps < MostSteps; steps++)
        {
            var isAll = _actors.TrueForAll(static actor => actor.IsSettled);
            if (_actors.Find(static actor => actor.CanGoOn) is { } actor)
            {
                actor.Go();
                Settle(TimeSpan.Zero);
            }
            else if (isAll || !Settle(Patience))
            {
                break;
            }
        }
        lock (_idle)
        {
            foreach (var actor in _actors.Where(static actor => actor.HasEnded))
                _idle.Push(actor);
            _actors = [];
        }
    }

    private int Choose(int options, bool goesOn)
    {
        if (_random is { } random)
            return goesOn && random.Next(_rarity) > 0 ? 0 : random.Next(options);
        if (_position == _path.Count)
            _path.Add((options, 0));
        // A caller that was woken may be noticed later than it was in the run before.
        else if (_path[_position].Options != options)
            _path[_position] = (options, Math.Min(_path[_position].Taken, options - 1));
        return _path[_position++].Taken;
    }

    // False if all orders were tried.
    private bool ChooseNext(int inOrder, LongRun? run)
    {
        var isInOrder = Runs % 2 == 0 && Runs / 2 < inOrder;
        _random = isInOrder ? null : new Random(run?.Random.Next() ?? Runs);
        // Interruptions that are few come early in some orders, and late in others.
        _rarity = Rarities[Runs / 2 % Rarities.Length];
        return !isInOrder || Backtrack();
    }

    private bool Backtrack()
    {
        for (; _path.Count > 0; _path.RemoveAt(_path.Count - 1))
        {
            var (options, taken) = _path[^1];
            if (taken + 1 == options)
                continue;
            _path[^1] = (options, taken + 1);
            return true;
        }
        return false;
    }

    private sealed class Actor
    {
        // It does not spin, unlike SemaphoreSlim: the others need the processor.
        private readonly AutoResetEvent _go = new(false);
        private readonly System.Threading.Thread _thread;
        private Action _program = static () => { };
        private Func<bool>? _condition;
        private volatile bool _isSettled = true;
        private volatile bool _hasEnded = true;
        private volatile bool _isRunning;

        public Actor(LaneScheduler scheduler)
        {
            Scheduler = scheduler;
            _thread = new System.Threading.Thread(Live) { IsBackground = true };
            _thread.Start();
        }

        public LaneScheduler Scheduler { get; }

        public bool IsLane { get; private set; }

        public bool HasEnded => _hasEnded;

        /// <summary>It is in front of a step, or has ended.</summary>
        public bool IsSettled => _isSettled;

        public bool IsBlocked => _isRunning && (_thread.ThreadState & System.Threading.ThreadState.WaitSleepJoin) != 0;

        public bool MayTimeOut { get; private set; }

        public bool TimedOut { get; set; }

        public object? WaitsFor { get; set; }

        public string? Failure { get; private set; }

        public bool CanGoOn => _isSettled && !_hasEnded && _condition?.Invoke() != false;

        public void Prepare(Action program, bool isLane) =>
            (_program, IsLane, Failure, _condition, WaitsFor, MayTimeOut, _hasEnded) = (program, isLane, null, null, null, false, false);

        public void Go()
        {
            _isSettled = _isRunning = false;
            _go.Set();
        }

        public void Pause(Func<bool>? condition, bool mayTimeOut)
        {
            (_condition, MayTimeOut) = (condition, mayTimeOut);
            _isSettled = true;
            AwaitGo();
            (_condition, MayTimeOut) = (null, false);
        }

        private void AwaitGo()
        {
            _go.WaitOne();
            _isRunning = true;
        }

        private void Live()
        {
            (_current, _active) = (this, Scheduler);
            while (true)
            {
                AwaitGo();
                try
                {
                    _program();
                }
                catch (Exception e)
                {
                    Failure = e.ToString();
                }
                _hasEnded = true;
                _isSettled = true;
            }
        }
    }
}
