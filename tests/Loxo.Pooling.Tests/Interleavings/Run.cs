using Loxo.Pooling.Core;

namespace Loxo.Pooling.Tests.Interleavings;

/// <summary>One run of a scenario: a fresh pool, what its callers do, and what must hold.</summary>
internal sealed class Run
{
    private readonly Dictionary<Thing, Actor> _holders = [];
    private string? _wrong;

    public Run(Scenario scenario)
    {
        var most = Math.Max(scenario.Maximum, scenario.LaterMaximum);
        Policy = scenario.IsChecked ? new CheckingPolicy { Most = most } : new ModelPolicy { Most = most };
        Core = new PoolCore<Thing, ModelSteps>(Policy, new ResourcePoolOptions
        {
            MaximumSize = scenario.Maximum,
            MaximumConcurrentOpens = scenario.MaximumOpens,
            Order = scenario.Order,
            Time = Time,
            Lifetime = TimeSpan.Zero,
            IdleLifetime = scenario.IdleLifetime,
            MaintenanceInterval = scenario.IsMaintained ? TimeSpan.FromSeconds(1) : Timeout.InfiniteTimeSpan,
            AttentionInterval = scenario.IsMaintained ? TimeSpan.FromSeconds(1) : Timeout.InfiniteTimeSpan,
        });
        View = new CoreView(Core);
        Core.WarmUp(scenario.Warm);
        for (var i = 0; i < scenario.Rented; i++)
            Rented.Add(Core.Rent(Timeout.InfiniteTimeSpan));
        Operations = new Operations(this);
        Programs = scenario.Callers(Operations);
    }

    public ManualTime Time { get; } = new();

    public ModelPolicy Policy { get; }

    public PoolCore<Thing, ModelSteps> Core { get; }

    public CoreView View { get; }

    public Operations Operations { get; }

    public IReadOnlyList<Operation[]> Programs { get; }

    /// <summary>What was rented before the callers begin.</summary>
    public List<Rental<Thing>> Rented { get; } = [];

    /// <summary>One for each caller that can be cancelled.</summary>
    public CancellationTokenSource Cancellation { get; } = new();

    /// <summary>What makes two states differ beside the core and the callers.</summary>
    public ulong Digest => Hash.Mix(SharedHash, (ulong)Policy.Existing, (ulong)(Time.NextDue?.Ticks ?? -1));

    /// <summary>Which of the rentals that several callers have are not given back yet.</summary>
    public ulong SharedHash => Rented.Aggregate(3UL, static (hash, rental) => (hash << 1) + (rental.IsValid ? 1UL : 0));

    /// <summary>The same number for programs of the same operations.</summary>
    public int KindOf(int program) => Programs.ToList().FindIndex(other => other.Select(static one => one.Name).SequenceEqual(Programs[program].Select(static one => one.Name)));

    public void Hold(Actor actor, Rental<Thing> rental)
    {
        var thing = rental.Resource;
        if (thing.IsClosed)
            _wrong ??= $"{thing} is closed, and rented by {actor.Id}.";
        if (!_holders.TryAdd(thing, actor))
            _wrong ??= $"{thing} is rented by {actor.Id} while {_holders[thing].Id} has it.";
        thing.IsAbandoned = false;
        actor.Rentals.Add(rental);
    }

    /// <summary>Ends what an actor holds first, if anything; the caller then tells the pool.</summary>
    public bool LetGo(Actor actor, out Rental<Thing> rental)
    {
        rental = actor.Rentals.FirstOrDefault();
        if (actor.Rentals.Count == 0)
            return false;
        actor.BeginOperation();
        actor.Rentals.RemoveAt(0);
        _holders.Remove(rental.Resource);
        return true;
    }

    public void Refused(Exception error)
    {
        if (!View.IsClosed)
            _wrong ??= $"A rent was refused though the pool has not ended: {error.Message}";
    }

    /// <summary>What is wrong while nobody is in the middle of anything; null if nothing.</summary>
    public string? WrongWhenQuiet()
    {
        if ((_wrong ?? Policy.Wrong) is { } wrong)
            return wrong;
        var idle = View.Idle;
        if (View.Line.Count > 0 && idle.Count > 0)
            return "Somebody waits while something is idle.";
        if (View.Line.Count > 0 && View.Capacity.MayOpen)
            return "Somebody waits who may open.";
        if (View.Capacity.Total != Policy.Existing || View.Capacity.Opening != 0 || View.Capacity.Retiring != 0)
            return $"The pool counts {View.Capacity.Total}, {View.Capacity.Opening} opening and {View.Capacity.Retiring} retiring, but {Policy.Existing} exist.";
        if (View.Pressure != View.Line.Count + Math.Max(0, View.Capacity.Total - View.Capacity.Maximum))
            return $"Returners are told {View.Pressure}, but {View.Line.Count} wait.";
        if (idle.Count > 0 && View.Capacity.Total > View.Capacity.Maximum)
            return "More exist than may, and some are idle.";
        return WrongPlaces(idle);
    }

    /// <summary>What is wrong when all have ended; null if nothing.</summary>
    public string? WrongAtEnd()
    {
        if (WrongWhenQuiet() is { } wrong)
            return wrong;
        if (View.Line.Count != 0)
            return "Somebody is still in the line.";
        if (View.Capacity.Total != View.Idle.Count + Rented.Count(rental => rental.IsValid))
            return $"{View.Capacity.Total} exist, but {View.Idle.Count} are idle.";
        return View.IsClosed && View.Capacity.Total != 0 ? "The pool has ended, and something was not closed." : null;
    }

    // Everything that exists is idle once, or rented once.
    private string? WrongPlaces(List<Slot<Thing>> idle)
    {
        var places = idle.Select(static slot => slot.Resource).Concat(_holders.Keys).Concat(Rented.Where(static rental => rental.IsValid).Select(static rental => rental.Resource)).ToList();
        if (places.Distinct().Count() != places.Count || places.Contains(null))
            return $"Something is in two places: {string.Join(", ", places)}.";
        if (places.Count != Policy.Existing || places.Exists(static thing => thing!.IsClosed))
            return $"{Policy.Existing} exist, but {places.Count} are idle or rented.";
        return idle.Exists(slot => slot.Generation != View.Generation || slot.State != SlotState.Idle) ? "Something old is idle." : null;
    }
}
