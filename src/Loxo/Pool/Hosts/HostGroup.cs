using Loxo.Session;
using Loxo.Transport;

namespace Loxo.Pool.Hosts;

/// <summary>The hosts of a data source, and the choice between them.</summary>
internal sealed class HostGroup : IDisposable
{
    // Milliseconds. In less time than this, asking full servers again is not worth an attempt.
    private const int ShortestAttempt = 40;

    // With more hosts, every open makes a whole plan.
    private const int MostHosts = 32;

    private readonly HostSettings _settings;
    private readonly TimeProvider _time;
    private readonly TimeSpan _timeout;
    private readonly RoleMonitor? _monitor;
    private int _turn = -1;

    public HostGroup(HostEndpoint[] hosts, HostSettings settings)
    {
        (Hosts, _settings) = (hosts, settings);
        (_time, _timeout) = (hosts[0].Context.Time, hosts[0].Context.Settings.OpenTimeout);
        if (hosts.Length > 1 && settings.RecheckAfter > TimeSpan.Zero)
            _monitor = new RoleMonitor(this, settings.RecheckAfter, _time);
    }

    public HostEndpoint[] Hosts { get; }

    /// <summary>Whether news of that age is believed.</summary>
    public bool IsYoung(HostState state, HostQuestion question) =>
        question.Number > 0 && state.Age(question) <= _settings.RecheckAfter && _settings.RecheckAfter > TimeSpan.Zero;

    /// <summary>Whether the roles of hosts are watched in the background.</summary>
    public bool IsWatched => _monitor is { IsRunning: true };

    /// <summary>Takes a session of a host that serves, blocking. One deadline covers the whole search.</summary>
    /// <exception cref="PgException">There is none.</exception>
    public HostSession Rent(TargetSessionAttributes target) => Rent(target, Deadline.In(_timeout, _time));

    /// <inheritdoc cref="Rent(TargetSessionAttributes)"/>
    public ValueTask<HostSession> RentAsync(TargetSessionAttributes target, CancellationToken token) =>
        RentAsync(target, Deadline.In(_timeout, _time), token);

    /// <inheritdoc cref="Rent(TargetSessionAttributes)"/>
    public HostSession Rent(TargetSessionAttributes target, Deadline limit)
    {
        Watch(target);
        var refused = default(HostHunt);
        for (var round = 0; ; round++)
        {
            if (TryRent(target, limit, out var hunt) is { } one)
                return one;
            Sleep.For(PauseOrThrow(target, hunt, ref refused, round, limit), _time);
        }
    }

    /// <inheritdoc cref="Rent(TargetSessionAttributes)"/>
    public async ValueTask<HostSession> RentAsync(TargetSessionAttributes target, Deadline limit, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        Watch(target);
        var refused = default(HostHunt);
        for (var round = 0; ; round++)
        {
            var (one, hunt) = await TryRentAsync(target, limit, token).ConfigureAwait(false);
            if (one is not null)
                return one;
            await Task.Delay(PauseOrThrow(target, hunt!, ref refused, round, limit), _time, token).ConfigureAwait(false);
        }
    }

    /// <summary>Takes a session of a host that serves and has replayed enough, blocking.</summary>
    /// <inheritdoc cref="Rent(TargetSessionAttributes)"/>
    public HostSession Rent(TargetSessionAttributes target, PgFreshness freshness) =>
        freshness.IsAny ? Rent(target) : Search(target).Rent(freshness);

    /// <inheritdoc cref="Rent(TargetSessionAttributes, PgFreshness)"/>
    public ValueTask<HostSession> RentAsync(TargetSessionAttributes target, PgFreshness freshness, CancellationToken token) =>
        freshness.IsAny ? RentAsync(target, token) : Search(target).RentAsync(freshness, token);

    /// <summary>A search with a deadline of its own.</summary>
    public FreshSearch Search(TargetSessionAttributes target)
    {
        Watch(target);
        return new FreshSearch(this, target, _time, Deadline.In(_timeout, _time));
    }

    /// <summary>Asks all hosts for their roles, at once.</summary>
    public Task AskAllAsync(CancellationToken token)
    {
        var limit = Deadline.In(_timeout, _time);
        return Task.WhenAll(Hosts.Select(host => host.AskAsync(limit, token)));
    }

    public void Forget()
    {
        foreach (var host in Hosts)
            host.State.Forget();
    }

    public void Dispose() => _monitor?.Dispose();

    private HostSession? TryRent(TargetSessionAttributes target, Deadline limit, out HostHunt hunt)
    {
        hunt = null!;
        var order = NextOrder();
        if (FirstIdle(target, order) is { } host)
        {
            try
            {
                if (Confirmed(host.Rent(limit.AtMost(Staggered.Pause, _time)), target) is { } one)
                    return one;
            }
            catch (PgException)
            {
                // The search below tries the other hosts, and this one again if it is still thought to serve.
            }
        }
        hunt = new HostHunt(HostPlan.Make(this, target, order), limit);
        return hunt.Count == 0 ? null : Staggered.Run(hunt, _time);
    }

    private async ValueTask<(HostSession? One, HostHunt? Hunt)> TryRentAsync(
        TargetSessionAttributes target, Deadline limit, CancellationToken token)
    {
        var order = NextOrder();
        if (FirstIdle(target, order) is { } host)
        {
            try
            {
                var rented = await host.RentAsync(limit.AtMost(Staggered.Pause, _time), token).ConfigureAwait(false);
                if (Confirmed(rented, target) is { } one)
                    return (one, null);
            }
            catch (PgException)
            {
                // As above.
            }
        }
        var hunt = new HostHunt(HostPlan.Make(this, target, order), limit);
        return (hunt.Count == 0 ? null : await Staggered.RunAsync(hunt, _time, token).ConfigureAwait(false), hunt);
    }

    // A server without a place left is asked again until the deadline, as by the pool of a single host.
    private TimeSpan PauseOrThrow(TargetSessionAttributes target, HostHunt hunt, ref HostHunt? refused, int round, Deadline limit)
    {
        if (hunt.FoundNoPlace)
            refused = hunt;
        else if (refused is null || !limit.HasExpired)
            throw HostErrors.NotFound(this, target, hunt.Errors);
        var pause = 25 << Math.Min(round, 2);
        var latest = limit.NextWait is >= 0 and var left ? left - ShortestAttempt : pause;
        // The search that the deadline has cut off says less than the refusal before it.
        return latest > 0
            ? TimeSpan.FromMilliseconds(Math.Min(pause, latest))
            : throw HostErrors.NotFound(this, target, refused.Errors);
    }

    // The pool may have replaced a dead idle session by a new one, and the server behind the address may have another role now.
    private HostSession? Confirmed(HostSession one, TargetSessionAttributes target)
    {
        if (HostPlan.Rate(this, one.Host, target.Preferred()) is { MustAsk: false })
            return one;
        one.GiveBack();
        return null;
    }

    private void Watch(TargetSessionAttributes target)
    {
        if (target != TargetSessionAttributes.Any)
            _monitor?.Need();
    }

    public HostOrder NextOrder() =>
        new(_settings.Balance, _settings.Balance == HostBalance.None ? 0 : (uint)Interlocked.Increment(ref _turn));

    // Mostly one of the best hosts has an idle session, and nobody needs to be asked. Then there is nothing to plan.
    private HostEndpoint? FirstIdle(TargetSessionAttributes target, HostOrder order)
    {
        if (order.Balance is HostBalance.Random or HostBalance.LeastOutstanding || Hosts.Length > MostHosts)
            return null;
        var preferred = target.Preferred();
        Span<int> best = stackalloc int[MostHosts];
        var count = 0;
        foreach (var host in Hosts)
        {
            if (HostPlan.Rate(this, host, preferred) is { Rank: HostPlan.Best } candidate)
                best[count++] = candidate.MustAsk ? -1 : host.Index;
        }
        return count > 0 && best[(int)(order.Turn % (uint)count)] is >= 0 and var index && Hosts[index].Pool is { HasIdle: true }
            ? Hosts[index]
            : null;
    }
}
