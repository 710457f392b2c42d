using Loxo.Diagnostics;
using Loxo.Pooling;
using Loxo.Session;
using Microsoft.Extensions.Logging;

namespace Loxo.Pool;

internal static class SessionPool
{
    public static ResourcePool<PooledSession> Create(
        SessionContext context, PoolSettings settings, ILoggerFactory loggers, Action<PgSessionLeakEventArgs>? leaked)
    {
        var policy = new SessionPolicy(context, settings, loggers.CreateLogger(PoolLog.Category), leaked);
        return new(policy, new ResourcePoolOptions
        {
            Name = $"{context.Settings.Database} on {context.Transport.Host}",
            MinimumSize = settings.MinimumSize,
            MaximumSize = settings.MaximumSize,
            IdleLifetime = settings.IdleLifetime,
            Lifetime = settings.Lifetime,
            MaintenanceInterval = settings.MaintenanceInterval,
            RentTimeout = context.Settings.OpenTimeout,
            Time = context.Time,
        });
    }

    public static PgException Exhausted(PoolExhaustedException cause) => new(
        $"All connections of the pool were in use until 'Timeout' was over. {cause.Message} "
        + "Dispose connections as soon as they are not needed; if there are too few, raise 'Maximum Pool Size' or 'Timeout'.",
            PgErrorCode.PoolExhausted, cause);
}
