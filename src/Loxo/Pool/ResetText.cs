using Loxo.Protocol;

namespace Loxo.Pool;

/// <summary>The statements that make a session as good as new. One text each, so that they cost one message and one answer.</summary>
internal static class ResetText
{
    public const string Rollback = "ROLLBACK";

    // Not DISCARD ALL: that would forget the prepared statements.
    private const string Reset =
        "SET SESSION AUTHORIZATION DEFAULT; RESET ALL; CLOSE ALL; UNLISTEN *; SELECT pg_advisory_unlock_all(); DISCARD SEQUENCES; "
        + "DISCARD TEMP";

    /// <summary>
    /// What a transaction allows that goes on and may be prepared, which UNLISTEN would forbid. The pool does the rest.
    /// </summary>
    public const string WithinTransaction =
        "SET SESSION AUTHORIZATION DEFAULT; RESET ALL; CLOSE ALL; SELECT pg_advisory_unlock_all(); DISCARD SEQUENCES; DISCARD TEMP";

    /// <summary>
    /// For servers that do not know every statement of the text above but have their own idea of this one. It forgets prepared statements.
    /// </summary>
    public const string DiscardAll = "DISCARD ALL";

    public const string ForgetStatements = "DEALLOCATE ALL";

    public const string CountStatements =
        "SELECT pg_catalog.count(*) FILTER (WHERE NOT from_sql), pg_catalog.count(*) FILTER (WHERE from_sql) "
        + "FROM pg_catalog.pg_prepared_statements";

    private const string ResetAndStatements = Reset + "; " + ForgetStatements;

    /// <summary>Whether that is more than a ROLLBACK, and so sets the search path back.</summary>
    public static bool IsReset([NotNullWhen(true)] string? sql) => sql?.Contains(Reset, StringComparison.Ordinal) ?? false;

    /// <summary>Whether a transaction is rolled back first.</summary>
    public static bool RollsBack(string sql) => sql.StartsWith(Rollback, StringComparison.Ordinal);

    public static string WithoutRollback(string reset) => reset[reset.IndexOf(Reset, StringComparison.Ordinal)..];

    /// <summary>Whether no statement is prepared any more after that.</summary>
    public static bool ForgetsStatements(string? sql) => sql?.EndsWith(ForgetStatements, StringComparison.Ordinal) ?? false;

    /// <summary>The text to send; null when there is nothing to do.</summary>
    public static string? For(TransactionStatus status, bool mustReset, bool withStatements)
    {
        var reset = !mustReset ? null : withStatements ? ResetAndStatements : Reset;
        if (status == TransactionStatus.Idle)
            return reset;
        return reset is null ? Rollback : Rollback + "; " + reset;
    }
}
