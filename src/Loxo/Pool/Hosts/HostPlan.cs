using Loxo.Session;

namespace Loxo.Pool.Hosts;

/// <summary>A host to try.</summary>
/// <param name="Host">The host.</param>
/// <param name="Target">What its role has to be.</param>
/// <param name="MustAsk">Whether the host is asked first: its role is not known or not believed any more.</param>
/// <param name="Rank">Hosts of a lower rank are tried first.</param>
internal readonly record struct HostCandidate(HostEndpoint Host, TargetSessionAttributes Target, bool MustAsk, int Rank);

/// <summary>Which hosts are tried for a target, and in which order.</summary>
internal static class HostPlan
{
    public const int Best = 0;

    private const int Unknown = 1;
    private const int Otherwise = 2; // any host, where another one is preferred
    private const int Full = 10;
    private const int Failed = 20;
    private const int SecondLook = 30;

    // A role that was learnt just now is not asked for again.
    private static readonly TimeSpan _secondLookAfter = TimeSpan.FromMilliseconds(500);

    /// <summary>The hosts in their order. A preferred host may appear twice: as preferred, and as any host.</summary>
    /// <param name="group">The hosts.</param>
    /// <param name="target">What is asked of their role.</param>
    /// <param name="order">That of hosts of the same rank.</param>
    /// <param name="needsRole">Whether the role has to be known even where any serves.</param>
    public static HostCandidate[] Make(HostGroup group, TargetSessionAttributes target, HostOrder order, bool needsRole = false)
    {
        var candidates = new List<HostCandidate>(group.Hosts.Length);
        var preferred = target.Preferred();
        foreach (var host in group.Hosts)
        {
            if (Rate(group, host, preferred, needsRole) is { } candidate)
                candidates.Add(candidate);
            if (preferred != target)
                candidates.Add(RateAny(group, host, needsRole) is var any ? any with { Rank = any.Rank + Otherwise } : default);
        }
        return [.. candidates.GroupBy(static one => one.Rank).OrderBy(static rank => rank.Key).SelectMany(rank => order.Of([.. rank]))];
    }

    /// <summary>The candidate if the host is tried for a target, which is no preference.</summary>
    public static HostCandidate? Rate(HostGroup group, HostEndpoint host, TargetSessionAttributes target, bool needsRole = false)
    {
        if (target == TargetSessionAttributes.Any)
            return RateAny(group, host, needsRole);
        var news = host.State.News;
        var isTrusted = IsTrusted(group, host);
        var fits = target.Fits(news.Role);
        if (IsDown(group, host, news))
            return new(host, target, MustAsk: true, fits || !isTrusted ? Failed : SecondLook);
        if (isTrusted && !fits)
            return host.State.Age(news.Learnt) > _secondLookAfter ? new(host, target, MustAsk: true, SecondLook) : null;
        return new(host, target, !isTrusted, (fits ? Best : Unknown) + (host.HasRoom ? 0 : Full));
    }

    private static bool IsTrusted(HostGroup group, HostEndpoint host) =>
        host.State.News is { IsRoleDoubted: false, Role: not PgHostRole.Unknown } news && group.IsYoung(host.State, news.Learnt);

    private static HostCandidate RateAny(HostGroup group, HostEndpoint host, bool needsRole)
    {
        var news = host.State.News;
        return IsDown(group, host, news) ? new(host, TargetSessionAttributes.Any, MustAsk: true, Failed)
            : new(host, TargetSessionAttributes.Any, news.IsDoubted || (needsRole && !IsTrusted(group, host)), host.HasRoom ? Best : Full);
    }

    private static bool IsDown(HostGroup group, HostEndpoint host, HostNews news) =>
        news.HasFailed && group.IsYoung(host.State, news.Failed);
}

/// <summary>The order of hosts of the same rank, for one open.</summary>
/// <param name="Balance">How they are balanced.</param>
/// <param name="Turn">The number of the open.</param>
internal readonly record struct HostOrder(HostBalance Balance, uint Turn)
{
    public HostCandidate[] Of(HostCandidate[] candidates)
    {
        switch (Balance)
        {
            case HostBalance.Random:
                Random.Shared.Shuffle(candidates);
                return candidates;
            case HostBalance.RoundRobin:
                return Turned(candidates);
            case HostBalance.LeastOutstanding:
                return [.. Turned(candidates).OrderBy(static one => one.Host.Pool?.CountOutstanding() ?? 0)];
            default:
                return candidates;
        }
    }

    private HostCandidate[] Turned(HostCandidate[] candidates)
    {
        var first = (int)(Turn % (uint)candidates.Length);
        return [.. candidates[first..], .. candidates[..first]];
    }
}
