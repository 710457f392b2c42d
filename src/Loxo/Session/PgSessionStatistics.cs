using Loxo.Session;

namespace Loxo;

/// <summary>
/// What the sessions of a data source have done since it was made, those that have ended included. Commands that are running are counted
/// when they end.
/// </summary>
public sealed record PgSessionStatistics
{
    /// <summary>Physical connections that were begun: those of the pool, and those that the driver opens beside it.</summary>
    public required long SessionsOpened { get; init; }

    /// <summary>How often a connection went back to the pool and its session needed neither reset nor rollback.</summary>
    public required long ResetsAvoided { get; init; }

    /// <summary>How often the session of a connection that went back to the pool was reset or rolled back.</summary>
    public required long ResetsSent { get; init; }

    /// <summary>The first reason of each of <see cref="ResetsSent"/>. Reasons that have not occurred are left out.</summary>
    public required IReadOnlyDictionary<PgResetReason, long> ResetReasons { get; init; }

    /// <summary>
    /// The statements that have run to their end in commands and batches, prepared or not. Rows of
    /// <see cref="PgCommand.ExecuteMany"/> and copies are not counted.
    /// </summary>
    public required long Statements { get; init; }

    /// <summary>The commands and batches that have failed, by an error of the server or because the connection was lost.</summary>
    public required long CommandsFailed { get; init; }

    /// <summary>The statements that were prepared, by use or by <see cref="PgCommand.Prepare"/>, once for each session.</summary>
    public required long StatementsPrepared { get; init; }

    /// <summary>How many of <see cref="Statements"/> were prepared already, so that the server did not have to parse them.</summary>
    public required long CacheHits { get; init; }

    /// <summary>The prepared statements that made room for others: see 'Max Auto Prepare'.</summary>
    public required long StatementsEvicted { get; init; }

    /// <summary>
    /// How often a prepared statement was parsed again, and run, because it was out of date or the server had forgotten it, such as after
    /// ALTER TABLE or DEALLOCATE.
    /// </summary>
    public required long StatementsHealed { get; init; }

    /// <summary>The rows that <see cref="Statements"/> have returned, whether or not they were read.</summary>
    public required long RowsReturned { get; init; }

    /// <summary>The bytes that were sent, with those of login and TLS, without those of cancel requests.</summary>
    public required long BytesSent { get; init; }

    /// <summary>The bytes that have arrived, with those of login and TLS.</summary>
    public required long BytesReceived { get; init; }

    internal static PgSessionStatistics Of(SessionCounters sum, long opened)
    {
        var reasons = new Dictionary<PgResetReason, long>();
        foreach (var reason in Enum.GetValues<PgResetReason>())
        {
            if (sum.Reasons[(int)reason] is > 0 and var count)
                reasons.Add(reason, count);
        }
        return new PgSessionStatistics
        {
            SessionsOpened = opened,
            ResetsAvoided = sum.ResetsAvoided,
            ResetsSent = sum.ResetsSent,
            ResetReasons = reasons,
            Statements = sum.Statements,
            CommandsFailed = sum.Failed,
            StatementsPrepared = sum.Prepared,
            CacheHits = sum.Hits,
            StatementsEvicted = sum.Evicted,
            StatementsHealed = sum.Healed,
            RowsReturned = sum.Rows,
            BytesSent = sum.Traffic.Sent,
            BytesReceived = sum.Traffic.Received,
        };
    }
}
