using System.Text;
using Loxo.Pooling.Core;

namespace Loxo.Pooling.Tests.Interleavings;

/// <summary>A place where more than one actor could go on, and which did.</summary>
internal struct Choice
{
    public int Options;
    public int Taken;
}

/// <summary>
/// Decides at each step which actor goes on: as written in <see cref="Path"/>, and beyond it the one that is running. An actor that could
/// have gone on is interrupted at most <see cref="Preemptions"/> times in a run.
/// </summary>
internal sealed class Scheduler
{
    private const int MostSteps = 20_000;

    private readonly SemaphoreSlim _over = new(0);
    private readonly List<Actor> _actors = [];
    private readonly List<(Actor Actor, bool TimesOut)> _options = [];
    private readonly HashSet<Waiter<Thing>> _signalled = [];
    private readonly Dictionary<Waiter<Thing>, Actor> _owners = [];
    private readonly List<Waiter<Thing>> _stood = [];
    private readonly HashSet<Waiter<Thing>> _left = [];
    private readonly Dictionary<Waiter<Thing>, int> _numbers = [];
    private readonly List<(int Actor, Point Point)> _trace = [];
    private readonly Dictionary<ulong, int> _visited = [];
    private Actor? _gateOwner;
    private int _position;
    private int _budget;
    private bool _pruned;

    public int Preemptions { get; init; }

    /// <summary>The step that the pool leaves out by mistake; null for none.</summary>
    public Point? Omitted { get; init; }

    public List<Choice> Path { get; } = [];

    public string? Violation { get; private set; }

    /// <summary>Whether something was found, so that the actors only have to come to an end.</summary>
    public bool IsAbandoned { get; private set; }

    public ulong PointsReached { get; private set; }

    public int StatesVisited => _visited.Count;

    public Run Current { get; private set; } = null!;

    private CoreView View => Current.View;

    /// <summary>Runs the actors of one run to their end.</summary>
    public void Execute(Run run)
    {
        Current = run;
        while (_actors.Count < run.Programs.Count)
            _actors.Add(new Actor(this, _actors.Count));
        (_position, _budget, _pruned, IsAbandoned, _gateOwner) = (0, Preemptions, false, false, null);
        _signalled.Clear();
        _numbers.Clear();
        _trace.Clear();
        _owners.Clear();
        _stood.Clear();
        foreach (var actor in _actors)
            actor.Prepare(run, run.KindOf(actor.Id));
        Next(null);
        _over.Wait();
        if (Violation is null)
            Violation = run.WrongAtEnd();
    }

    public void Stop() => _actors.ForEach(actor => actor.Stop());

    /// <summary>Somebody goes on: the caller, or another while the caller waits for its turn.</summary>
    public void Choose(Actor actor)
    {
        if (!IsAbandoned && _trace.Count > MostSteps)
            Violated("It does not end.");
        if (!IsAbandoned && Quiescence() is { } wrong)
            Violated(wrong);
        if (!IsAbandoned)
            Next(actor);
        if (IsAbandoned)
            throw new RunAbandonedException();
    }

    public void Ended() => Next(null);

    public void Violated(string what)
    {
        Violation ??= $"{what}\n{Trace()}";
        IsAbandoned = true;
    }

    public void Reached(Actor actor, Point point)
    {
        PointsReached |= 1UL << (int)point;
        _trace.Add((actor.Id, point));
    }

    public bool TryEnterGate(Actor actor)
    {
        if (IsAbandoned)
            return true;
        if (_gateOwner is not null)
            return false;
        _gateOwner = actor;
        return true;
    }

    public void ExitGate(Actor actor)
    {
        if (IsAbandoned)
            return;
        if (_gateOwner != actor)
            Violated("The lock is left by one who does not have it.");
        _gateOwner = null;
        NoteLine(actor);
    }

    public void Wake(Waiter<Thing> waiter)
    {
        if (!_signalled.Add(waiter))
            Violated("A waiter is woken twice.");
    }

    public bool IsSignalled(Waiter<Thing> waiter) => _signalled.Contains(waiter);

    public bool TakeSignal(Waiter<Thing> waiter) => _signalled.Remove(waiter);

    /// <summary>Whether anybody in this scenario writes what the step reads, so that it makes a difference when it is done.</summary>
    public bool Matters(Point point) => point switch
    {
        Point.ReadGeneration or Point.ReadGenerationAgain or Point.ReadClosed => Current.Operations.Ends,
        Point.ClaimRental => Current.Operations.Shares,
        _ => true,
    };

    /// <summary>
    /// A hash of what a step reads, at the moment at which it does; without the top of the stack, see <see cref="Knowledge"/>.
    /// </summary>
    public ulong Seen(Point point)
    {
        // A few things are read without a step of their own; they change seldom.
        var always = Hash.Mix((ulong)View.Generation, (View.IsClosed ? 1UL : 0) + ((ulong)Current.Time.Now.Ticks << 1));
        return point switch
        {
            Point.ReadTop or Point.SwingTop or Point.ReadTopToPush or Point.Push => Hash.Mix(always, (ulong)View.Ends),
            Point.ReadBelow => View.Slots.Aggregate(always, static (mixed, slot) => Hash.Mix(mixed, (ulong)slot.Below)),
            Point.DetachAll or Point.Reattach or Point.Queue => Hash.Mix(always, View.IdleHash),
            Point.ClaimRental => Hash.Mix(always, Current.SharedHash),
            Point.ReadPressure or Point.ReadPressureAgain => Hash.Mix(always, (ulong)View.Pressure),
            Point.ReadSpareWaiters => Number(View.Returned),
            _ => always,
        };
    }

    /// <summary>A hash of what the lock protects; who stands in the line is learnt by whoever takes somebody out.</summary>
    public ulong SeenUnderGate()
    {
        var hash = Hash.Mix((ulong)View.Capacity.Total, (ulong)View.Capacity.Opening, (ulong)View.Capacity.Retiring);
        hash = Hash.Mix(hash, (ulong)View.Capacity.Maximum, (ulong)View.Line.Count);
        return Hash.Mix(hash, (ulong)View.Generation, (View.IsClosed ? 1UL : 0) + ((ulong)Current.Time.Now.Ticks << 1));
    }

    // Who has come is the one who leaves the lock; whom it took out it will wake, in the order of the line.
    private void NoteLine(Actor actor)
    {
        foreach (var waiter in _stood)
        {
            if (waiter.State != WaiterState.Waiting)
                actor.Learn(Hash.Mix(_owners[waiter].Hashed, (ulong)waiter.State, (ulong)(waiter.Slot?.Index ?? -1)));
        }
        foreach (var waiter in _stood)
            _left.Add(waiter);
        _stood.Clear();
        for (var waiter = View.Line.First; waiter is not null && _stood.Count <= _actors.Count; waiter = waiter.Next)
        {
            _stood.Add(waiter);
            if (!_left.Contains(waiter))
                _owners[waiter] = actor;
        }
        _left.Clear();
    }

    // Gives the baton to whoever is chosen. With an actor it returns when that one has the baton again.
    private void Next(Actor? actor)
    {
        var chosen = IsAbandoned ? _actors.Find(static one => one.Status != ActorStatus.Finished) : Pick(actor);
        if (chosen is null)
            _over.Release();
        else if (chosen != actor)
            chosen.GiveBaton();
        else
            return;
        actor?.TakeBaton();
    }

    private Actor? Pick(Actor? actor)
    {
        ListOptions(actor);
        if (_options.Count == 0)
        {
            if (_actors.TrueForAll(static one => one.Status == ActorStatus.Finished))
                return null;
            Violated($"Somebody waits for ever: {string.Join(", ", _actors.Select(static one => $"{one.Id} {one.Status}"))}");
            return _actors.Find(static one => one.Status != ActorStatus.Finished);
        }
        var (chosen, timesOut) = _options[_options.Count == 1 || _pruned ? 0 : Decide(actor)];
        if (actor is not null && chosen != actor && IsEnabled(actor))
            _budget--;
        chosen.TimesOut = timesOut;
        return chosen;
    }

    // The one that is running first: to let it go on is the free choice.
    private void ListOptions(Actor? actor)
    {
        _options.Clear();
        var goesOn = actor is not null && IsEnabled(actor);
        if (goesOn)
            _options.Add((actor!, false));
        if (goesOn && _budget == 0)
            return;
        foreach (var other in _actors)
        {
            if (other != actor && IsEnabled(other))
                _options.Add((other, false));
            else if (other is { Status: ActorStatus.InLine, MayTimeOut: true } && !IsEnabled(other))
                _options.Add((other, true));
        }
    }

    private bool IsEnabled(Actor actor) => actor.Status switch
    {
        ActorStatus.Ready => true,
        ActorStatus.AtGate => _gateOwner is null,
        ActorStatus.InLine => _signalled.Contains(actor.Waiter!),
        _ => false,
    };

    private int Decide(Actor? actor)
    {
        if (_position < Path.Count)
            return Path[_position++].Taken;
        var state = State(actor);
        if (_visited.TryGetValue(state, out var budget) && budget >= _budget)
        {
            // All that follows from here has been tried.
            _pruned = true;
            return 0;
        }
        _visited[state] = _budget;
        Path.Add(new Choice { Options = _options.Count });
        _position++;
        return 0;
    }

    // Actors with the same program that know the same are the same.
    private ulong State(Actor? actor)
    {
        var hash = Hash.Mix(SeenUnderGate(), (ulong)View.Pressure, View.IdleHash);
        foreach (var slot in View.Slots)
        {
            var thing = slot.Resource is { } one ? (one.IsClosed ? 1UL : 2) + (one.IsHealthy ? 4UL : 0) + (one.IsAbandoned ? 8UL : 0) : 0;
            hash = Hash.Mix(Hash.Mix(hash, (ulong)slot.State, (ulong)slot.Generation), thing, (ulong)slot.IdleSince);
        }
        for (var waiter = View.Line.First; waiter is not null; waiter = waiter.Next)
            hash = Hash.Mix(hash, _owners.TryGetValue(waiter, out var owner) ? owner.Hashed : 1);
        var sum = 0UL;
        foreach (var other in _actors)
            sum += Hash.Mix(other.Hashed, WaitsHow(other.Waiter), other == _gateOwner ? 1UL : 0);
        hash = Hash.Mix(hash, sum, CountOf(View.Spare) + ((ulong)CountOf(View.Returned) << 8));
        return Hash.Mix(hash, Current.Digest, actor is not null && IsEnabled(actor) ? actor.Hashed : 0);
    }

    private ulong WaitsHow(Waiter<Thing>? waiter) => waiter is null ? 0
        : Hash.Mix((ulong)waiter.State + (_signalled.Contains(waiter) ? 16UL : 0), (ulong)(waiter.Slot?.Index ?? -1), (ulong)waiter.Generation);

    private static ulong CountOf(Waiter<Thing>? list)
    {
        var count = 0UL;
        for (; list is not null; list = list.Next)
            count++;
        return count;
    }

    // When nobody is in the middle of something, nobody may wait for what is there.
    private string? Quiescence() =>
        _actors.TrueForAll(one => one.IsBetween || one.Status == ActorStatus.Finished || (one.Status == ActorStatus.InLine && !IsEnabled(one)))
            ? Current.WrongWhenQuiet() : null;

    private ulong Number(Waiter<Thing>? waiter)
    {
        if (waiter is null)
            return 0;
        if (!_numbers.TryGetValue(waiter, out var number))
            _numbers[waiter] = number = _numbers.Count + 1;
        return (ulong)number;
    }

    private string Trace()
    {
        var text = new StringBuilder();
        var last = -1;
        foreach (var (actor, point) in _trace.TakeLast(150))
        {
            text.Append(actor == last ? " " : $"\n  {actor}: ").Append(point);
            last = actor;
        }
        return text.ToString();
    }
}
