namespace Loxo.Pooling.Core;

/// <summary>The settings that all parts of a pool share.</summary>
internal sealed class PoolContext<T>(ResourcePolicy<T> policy, ResourcePoolOptions options)
    where T : class
{
    public ResourcePolicy<T> Policy => policy;

    public ResourcePoolOptions Options => options;

    public PolicyForms<T> Forms { get; } = new(policy);

    public PolicyNotices<T> Notices { get; } = new(policy);

    public Clock Clock { get; } = new(options.Time);

    /// <summary>Whether idle resources are asked if they need a check in the background.</summary>
    public bool WatchesIdle => Forms.NeedsAttention && (Forms.Checks || Forms.ChecksAsync);

    /// <summary>When a resource that is opened now reaches the end of its lifetime.</summary>
    public long NextExpiry()
    {
        if (options.Lifetime <= TimeSpan.Zero)
            return long.MaxValue;
        var jitter = options.LifetimeJitter * Random.Shared.NextDouble();
        return Clock.Now + (long)(options.Lifetime.TotalMilliseconds * (1 - jitter));
    }
}
