using Loxo.Session;
using Loxo.Transport;

namespace Loxo.Pool.Hosts;

/// <summary>
/// Searches for a host that has replayed enough of the primary's log. Where only standbys serve and all are behind, it waits for them.
/// </summary>
internal sealed class FreshSearch(HostGroup group, TargetSessionAttributes target, TimeProvider time, Deadline limit)
{
    // Sessions of a server that was restarted, before a new one is opened.
    private const int OldSessions = 3;
    private const int LongestPause = 100;

    private int _pause = 5;
    private HostHunt? _hunt;

    /// <summary>Takes a session, blocking.</summary>
    /// <exception cref="PgException">No host serves.</exception>
    public HostSession Rent(PgFreshness freshness)
    {
        for (var need = Need(Known(freshness) ?? AskWritePosition()); ; need = need with { Began = time.GetTimestamp() })
        {
            var plan = Plan();
            if (IsQuick(plan) && Quick(plan, need).Try(0) is { } quick)
                return quick;
            _hunt = new HostHunt(plan, limit, need);
            if (plan.Length > 0 && Staggered.Run(_hunt, time) is { } one)
                return one;
            Sleep.For(PauseOrThrow(need), time);
        }
    }

    /// <inheritdoc cref="Rent"/>
    public async ValueTask<HostSession> RentAsync(PgFreshness freshness, CancellationToken token)
    {
        var need = Need(Known(freshness) ?? await AskWritePositionAsync(token).ConfigureAwait(false));
        for (; ; need = need with { Began = time.GetTimestamp() })
        {
            var plan = Plan();
            if (IsQuick(plan) && await Quick(plan, need).TryAsync(0, token).ConfigureAwait(false) is { } quick)
                return quick;
            _hunt = new HostHunt(plan, limit, need);
            if (plan.Length > 0 && await Staggered.RunAsync(_hunt, time, token).ConfigureAwait(false) is { } one)
                return one;
            await Task.Delay(PauseOrThrow(need), time, token).ConfigureAwait(false);
        }
    }

    /// <summary>Asks the primary where its log ends.</summary>
    /// <exception cref="PgException">No primary answers.</exception>
    public PgLogSequenceNumber AskWritePosition()
    {
        for (var attempt = 1; ; attempt++)
        {
            var one = group.Rent(TargetSessionAttributes.Primary, limit);
            try
            {
                var answer = RoleQuestion.Ask(one, limit, withLog: true);
                one.GiveBack();
                if (LogNeed.IsPrimary(answer.Role) && answer.Log is { } position)
                    return position;
            }
            catch (Exception e)
            {
                one.Discard();
                if (e is not PgException { Code: PgErrorCode.ConnectionClosed } || attempt == OldSessions)
                    throw;
            }
            ThrowIfOver();
        }
    }

    /// <inheritdoc cref="AskWritePosition"/>
    public async ValueTask<PgLogSequenceNumber> AskWritePositionAsync(CancellationToken token)
    {
        for (var attempt = 1; ; attempt++)
        {
            var one = await group.RentAsync(TargetSessionAttributes.Primary, limit, token).ConfigureAwait(false);
            try
            {
                var answer = await RoleQuestion.AskAsync(one, limit, withLog: true, token).ConfigureAwait(false);
                one.GiveBack();
                if (LogNeed.IsPrimary(answer.Role) && answer.Log is { } position)
                    return position;
            }
            catch (Exception e)
            {
                one.Discard();
                if (e is not PgException { Code: PgErrorCode.ConnectionClosed } || attempt == OldSessions)
                    throw;
            }
            ThrowIfOver();
        }
    }

    // The position that was asked for, or what a primary has said within the time; null if it has to be asked.
    private PgLogSequenceNumber? Known(PgFreshness freshness)
    {
        if (freshness.Staleness is not { } staleness)
            return freshness.Position;
        HostLog? newest = null;
        foreach (var state in group.Hosts.Select(static host => host.State))
        {
            if (state.News is { IsRoleDoubted: false, Role: var role } && LogNeed.IsPrimary(role)
                && state.Log is { } log && state.Age(log.Asked) <= staleness && !(newest?.Asked.Time > log.Asked.Time))
                newest = log;
        }
        return newest?.Position;
    }

    private LogNeed Need(PgLogSequenceNumber position) => new(position, time.GetTimestamp());

    private HostCandidate[] Plan() => HostPlan.Make(group, target, group.NextOrder(), needsRole: true);

    // An idle session of the best host is tried without a race.
    private static bool IsQuick(HostCandidate[] plan) => plan is [{ MustAsk: false, Host.Pool.HasIdle: true }, ..];

    private HostHunt Quick(HostCandidate[] plan, LogNeed need) => new(plan[..1], limit.AtMost(Staggered.Pause, time), need);

    private TimeSpan PauseOrThrow(LogNeed need)
    {
        var isBehind = group.Hosts.Any(host => target.Preferred().Fits(host.State.News.Role) && need.IsKnownUnmet(host.State));
        if ((!isBehind && !_hunt!.FoundNoPlace) || (limit.NextWait is >= 0 and var left && left <= _pause))
            throw HostErrors.NotFound(group, target, _hunt!.Errors, need);
        var pause = TimeSpan.FromMilliseconds(_pause);
        _pause = Math.Min(2 * _pause, LongestPause);
        return pause;
    }

    private void ThrowIfOver()
    {
        if (limit.HasExpired)
            throw HostErrors.NotFound(group, TargetSessionAttributes.Primary, new Dictionary<HostEndpoint, Exception>());
    }
}
