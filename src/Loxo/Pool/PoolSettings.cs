namespace Loxo.Pool;

internal sealed record PoolSettings
{
    public required bool Pooling { get; init; }

    public required int MinimumSize { get; init; }

    public required int MaximumSize { get; init; }

    /// <summary>Zero: idle sessions are kept.</summary>
    public required TimeSpan IdleLifetime { get; init; }

    /// <summary>Zero: no limit.</summary>
    public required TimeSpan Lifetime { get; init; }

    public required TimeSpan MaintenanceInterval { get; init; }

    public required SessionReset Reset { get; init; }

    /// <summary>A session that was idle for longer is asked for a sign of life before it is handed out; zero: none is.</summary>
    public required TimeSpan PingAfter { get; init; }
}
