using Loxo.Diagnostics;
using Loxo.Pooling;
using Loxo.Session;
using Microsoft.Extensions.Logging;

namespace Loxo.Pool;

internal static class SessionPool
{
    public static ResourcePool<PooledSession> Create(
        SessionContext context, PoolSettings settings, ILoggerFactory loggers, Action<PgSessionLeakEventArgs>? leaked,
        string? name = null, LeakSettings? leaks = null)
    {
        leaks ??= new LeakSettings();
        var log = new BackgroundLogger(loggers.CreateLogger(PoolLog.Category));
        var policy = new SessionPolicy(context, settings, log, leaked) { Leaks = leaks };
        return new(policy, new ResourcePoolOptions
        {
            Name = name ?? $"{context.Settings.Database} on {context.Transport.Host}",
            MinimumSize = settings.MinimumSize,
            MaximumSize = settings.MaximumSize,
            IdleLifetime = settings.IdleLifetime,
            Lifetime = settings.Lifetime,
            MaintenanceInterval = Shorter(Shorter(settings.MaintenanceInterval, context.Settings.KeepAlive), leaks.Interval),
            LeakThreshold = leaks.Threshold,
            StackSampling = leaks.StackSampling,
            RentTimeout = context.Settings.OpenTimeout,
            Time = context.Time,
        });
    }

    // Zero sets no limit.
    private static TimeSpan Shorter(TimeSpan interval, TimeSpan limit) =>
        limit > TimeSpan.Zero && limit < interval ? limit : interval;

    /// <summary>Rents a session; the error of an exhausted pool is the driver's.</summary>
    public static Rental<PooledSession> Rent(ResourcePool<PooledSession> pool)
    {
        try
        {
            return pool.Rent();
        }
        catch (PoolExhaustedException e)
        {
            throw Exhausted(e);
        }
    }

    /// <inheritdoc cref="Rent"/>
    public static async ValueTask<Rental<PooledSession>> RentAsync(ResourcePool<PooledSession> pool, CancellationToken token)
    {
        try
        {
            return await pool.RentAsync(token).ConfigureAwait(false);
        }
        catch (PoolExhaustedException e)
        {
            throw Exhausted(e);
        }
    }

    public static PgException Exhausted(PoolExhaustedException cause) => new(
        $"All connections of the pool were in use until 'Timeout' was over. {cause.Message} "
        + "Dispose connections as soon as they are not needed; if there are too few, raise 'Maximum Pool Size' or 'Timeout'.",
            PgErrorCode.PoolExhausted, cause);
}

internal sealed class PooledSession(ServerSession session)
{
    public ServerSession Session { get; private set; } = session;

    /// <summary>Closes its session, and goes on with another one. Called by its renter.</summary>
    public void Replace(ServerSession other)
    {
        Session.Dispose();
        Session = other;
    }

    /// <summary>The time when it was last given back, by <see cref="Environment.TickCount64"/>.</summary>
    public long IdleSince { get; set; }

    /// <summary>The time when the pool last asked the server for a sign of life, by the same clock; 0 if it never has.</summary>
    public long AskedAt { get; set; }

    /// <summary>Whether the next check has to ask the server.</summary>
    public bool MustAsk { get; set; }

    /// <summary>A reset that could not be written when the session was given back.</summary>
    public string? DueReset { get; set; }

    /// <summary>Whether the server may know other prepared statements than <see cref="ServerSession.Statements"/> says.</summary>
    public bool StatementsInDoubt { get; set; }
}

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

    /// <summary>Whether the plain commands of many connections share few sessions.</summary>
    public required bool Multiplexing { get; init; }

    public required SessionReset Reset { get; init; }

    /// <summary>A session that was idle for longer is asked for a sign of life before it is handed out; zero: none is.</summary>
    public required TimeSpan PingAfter { get; init; }
}
