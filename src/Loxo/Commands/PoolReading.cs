using Loxo.Diagnostics;
using Loxo.Pool;
using Loxo.Pooling;
using Loxo.Session;
using Loxo.Sql;

namespace Loxo.Commands;

/// <summary>Reads the state of a pool without stopping it.</summary>
internal static class PoolReading
{
    public static PgPoolSnapshot Snapshot(ResourcePool<PooledSession> pool) =>
        new(pool.GetStatistics(), [.. pool.GetResources().Select(Describe)]);

    /// <summary>The statement that the session ran last or is running, as it may be shown; null if there was none.</summary>
    public static string? LastStatement(ServerSession session) => session.Command.Query.LastText is { } text
        ? LaneLog.Shown(SqlSummary.WithoutLiterals(text, session.Parameters.StandardConformingStrings))
        : null;

    /// <summary>The figures for the instruments.</summary>
    public static PoolSample Sample(PgDataSource source)
    {
        var (pool, sessions, lanes) = (source.GetPoolStatistics(), source.GetSessionStatistics(), source.Lanes?.Sample() ?? []);
        return new PoolSample(source.Context.Telemetry!.PoolTag)
        {
            Connections = pool is null ? null : new(pool.Idle, pool.Busy, pool.MinimumSize, pool.MaximumSize, pool.Waiting, pool.TimedOut),
            Lanes = lanes,
            ChangeStreams = [.. source.ChangeStreams.Values.Select(static stream => (stream.Slot, stream.BytesBehind()))],
            Executing = Executing(source) + lanes.Sum(static lane => lane.Depth),
            Failed = sessions.CommandsFailed,
            ResetsAvoided = sessions.ResetsAvoided,
            ResetReasons = [.. sessions.ResetReasons.Select(static reason => (reason.Key.ToString(), reason.Value))],
            Statements = sessions.Statements,
            Prepared = sessions.StatementsPrepared,
            Hits = sessions.CacheHits,
            Evicted = sessions.StatementsEvicted,
            Healed = sessions.StatementsHealed,
            Rows = sessions.RowsReturned,
            BytesSent = sessions.BytesSent,
            BytesReceived = sessions.BytesReceived,
        };
    }

    private static long Executing(PgDataSource source) => source.Pool is not { } pool ? 0
        : pool.GetResources().LongCount(static one => one is
        {
            State: PooledResourceState.Rented,
            Resource.Session: { IsLane: false, State: SessionState.Busy or SessionState.Cancelling },
        });

    private static PgPooledConnection Describe(PooledResource<PooledSession> one)
    {
        var session = one.Resource.Session;
        return new PgPooledConnection
        {
            ProcessId = session.ProcessId,
            State = StateOf(one.State, session),
            Age = one.Age,
            IdleFor = one.IdleFor,
            RentedFor = one.Rental?.Age ?? TimeSpan.Zero,
            LastStatement = LastStatement(session),
            RentedBy = one.Rental?.Stack,
        };
    }

    private static PgPooledConnectionState StateOf(PooledResourceState state, ServerSession session) => (state, session.State) switch
    {
        (PooledResourceState.Idle, _) => PgPooledConnectionState.Idle,
        (PooledResourceState.Held, _) => PgPooledConnectionState.Held,
        (_, SessionState.Broken) => PgPooledConnectionState.Broken,
        _ when session.IsLane => PgPooledConnectionState.Lane,
        (_, SessionState.Busy or SessionState.Cancelling) => PgPooledConnectionState.Executing,
        _ => PgPooledConnectionState.Rented,
    };
}
