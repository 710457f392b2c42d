namespace Loxo.Tests.Wire;

/// <summary>
/// What a server that is not PostgreSQL sends at login, and what it refuses. Each fact has its source beside it, a page or a thread that was read on
/// 2026-11-24; where there is none, the profile takes the worst case that the driver could meet, and says so.
/// </summary>
public sealed record ServerProfile(string Name)
{
    private static readonly (string Text, string SqlState, string Message)[] NoSql = [];

    /// <summary>The parameters that the server reports at login.</summary>
    public (string Name, string Value)[] Parameters { get; init; } = [];

    /// <summary>Whether the server sends the key without which no command can be cancelled.</summary>
    public bool SendsKey { get; init; } = true;

    /// <summary>Whether BEGIN is accepted without effect: ReadyForQuery goes on to say that no transaction is open.</summary>
    public bool IgnoresBegin { get; init; }

    /// <summary>Whether ReadyForQuery tells of a failed transaction after each error, though none was open.</summary>
    public bool ErrorsLookLikeTransactions { get; init; }

    /// <summary>Statements that contain the text are refused with that error.</summary>
    public (string Text, string SqlState, string Message)[] Refuses { get; init; } = NoSql;

    /// <summary>Whether the reset of a session succeeds, by itself or as DISCARD ALL, so that the pool can use it again.</summary>
    public bool CanBeReset { get; init; } = true;

    /// <summary>What <see cref="PgConnection.PostgreSqlVersion"/> says.</summary>
    public required Version Version { get; init; }

    /// <summary>Whether a backslash escapes the next character of an ordinary string literal.</summary>
    public bool HasBackslashEscapes { get; init; }

    public override string ToString() => Name;

    /// <summary>
    /// The error of CockroachDB when a transaction has to be run again, YugabyteDB's in another wording:
    /// https://www.cockroachlabs.com/docs/v24.3/transaction-retry-error-example
    /// </summary>
    public static (string SqlState, string Message) Restart =>
        ("40001", "restart transaction: TransactionRetryWithProtoRefreshError: injected by inject_retry_errors_enabled session variable");

    /// <summary>The error of a statement; null if it is accepted.</summary>
    public (string SqlState, string Message)? ErrorOf(string sql)
    {
        foreach (var (text, state, message) in Refuses)
        {
            if (sql.Contains(text, StringComparison.OrdinalIgnoreCase))
                return (state, message);
        }
        return null;
    }

    /// <summary>CockroachDB before 22.2, whose reset had gaps.</summary>
    public static ServerProfile CockroachDb22 { get; } = new("CockroachDB 22.1")
    {
        // The list statusReportParams in pkg/sql/pgwire/conn.go of cockroachdb/cockroach.
        Parameters =
        [
            ("server_version", "13.0.0"), ("server_encoding", "UTF8"), ("client_encoding", "UTF8"), ("application_name", ""), ("DateStyle", "ISO, MDY"),
            ("IntervalStyle", "postgres"), ("is_superuser", "on"), ("TimeZone", "UTC"), ("integer_datetimes", "on"),
            ("standard_conforming_strings", "on"), ("crdb_version", "CockroachDB CCL v22.1.1 (x86_64-pc-linux-gnu)"), ("session_authorization", "alice"),
        ],
        Refuses =
        [
            // https://github.com/cockroachdb/cockroach/issues/83061, with the messages; DISCARD ALL is accepted (issue 16587 there).
            ("UNLISTEN", "42601", "at or near \"unlisten\": syntax error"),
            ("DISCARD SEQUENCES", "0A000", "at or near \"sequences\": syntax error: unimplemented: this syntax"),
            ("DISCARD TEMP", "0A000", "at or near \"temp\": syntax error: unimplemented: this syntax"),
            // https://github.com/npgsql/npgsql/issues/5010
            ("pg_advisory_unlock_all", "42883", "unknown function: pg_advisory_unlock_all(): function undefined"),
            // Worst case: no source says that its catalogue answers the search of section 2 of docs/session-reset.md.
            ("AS MATERIALIZED", "42601", "at or near \"materialized\": syntax error"),
        ],
        Version = new(13, 0, 0),
    };

    /// <summary>CockroachDB of 2026.</summary>
    public static ServerProfile CockroachDb26 { get; } = CockroachDb22 with
    {
        Name = "CockroachDB 26.3",
        // https://www.cockroachlabs.com/docs/v26.3/postgresql-compatibility: it reports version 18, search_path, default_transaction_read_only,
        // in_hot_standby (always off) and scram_iterations.
        Parameters =
        [
            ("server_version", "18.0.0"), ("server_encoding", "UTF8"), ("client_encoding", "UTF8"), ("application_name", ""), ("DateStyle", "ISO, MDY"),
            ("IntervalStyle", "postgres"), ("is_superuser", "on"), ("TimeZone", "UTC"), ("integer_datetimes", "on"),
            ("standard_conforming_strings", "on"), ("crdb_version", "CockroachDB CCL v26.3.0 (x86_64-pc-linux-gnu)"), ("session_authorization", "alice"),
            ("search_path", "\"$user\", public"), ("default_transaction_read_only", "off"), ("in_hot_standby", "off"), ("scram_iterations", "10610"),
        ],
        // DISCARD SEQUENCES and DISCARD TEMP: https://github.com/cockroachdb/cockroach/pull/86230 and /pull/86246.
        Refuses = [("AS MATERIALIZED", "0A000", "unimplemented: this syntax")],
        Version = new(18, 0, 0),
    };

    /// <summary>YugabyteDB before 2025, which refused advisory locks.</summary>
    public static ServerProfile YugabyteDb { get; } = new("YugabyteDB 2024.1")
    {
        // It is PostgreSQL 11 with another storage, so the parameters are PostgreSQL's.
        Parameters =
        [
            ("server_version", "11.2-YB-2024.1.0.0-b0"), ("server_encoding", "UTF8"), ("client_encoding", "UTF8"), ("application_name", ""),
            ("is_superuser", "on"), ("session_authorization", "alice"), ("DateStyle", "ISO, MDY"), ("IntervalStyle", "postgres"), ("TimeZone", "UTC"),
            ("integer_datetimes", "on"), ("standard_conforming_strings", "on"),
        ],
        Refuses =
        [
            // https://github.com/yugabyte/yugabyte-db/issues/23881, with SQLSTATE and message.
            ("pg_advisory_unlock_all", "0A000", "advisory locks are not yet implemented"),
            // PostgreSQL 11 does not know MATERIALIZED in WITH, which came with 12 (its release notes).
            ("AS MATERIALIZED", "42601", "syntax error at or near \"MATERIALIZED\""),
        ],
        Version = new(11, 2),
    };

    /// <summary>Amazon Redshift.</summary>
    public static ServerProfile Redshift { get; } = new("Amazon Redshift")
    {
        // server_version: https://github.com/aamine/activerecord4-redshift-adapter/pull/26. The others are those of PostgreSQL 8.0, in which
        // standard_conforming_strings did not exist; no source says what Redshift adds.
        Parameters =
        [
            ("server_version", "8.0.2"), ("server_encoding", "UNICODE"), ("client_encoding", "UTF8"), ("is_superuser", "off"),
            ("session_authorization", "alice"), ("DateStyle", "ISO, MDY"), ("integer_datetimes", "on"),
        ],
        Refuses =
        [
            // https://github.com/npgsql/npgsql/issues/1426
            ("DISCARD", "42601", "syntax error at or near \"DISCARD\""),
            // knex says "Redshift does not support savepoints": lib/dialects/redshift/transaction.js.
            ("SAVEPOINT", "0A000", "SQL command \"SAVEPOINT\" not supported."),
            // It is based on PostgreSQL 8.0, which has no LATERAL, pg_enum, pg_range, unnest, prepared statements as a view, or advisory locks;
            // https://docs.aws.amazon.com/redshift/latest/dg/c_unsupported-postgresql-features.html
            ("LATERAL", "42601", "syntax error at or near \"LATERAL\""),
            ("pg_advisory", "42883", "function pg_advisory_unlock_all() does not exist"),
            ("pg_catalog.unnest", "42601", "syntax error at or near \"FROM\""),
            ("pg_prepared_statements", "42P01", "relation \"pg_prepared_statements\" does not exist"),
            ("pg_get_keywords", "42883", "function pg_catalog.pg_get_keywords() does not exist"),
        ],
        CanBeReset = false,
        Version = new(8, 0, 2),
        HasBackslashEscapes = true, // https://github.com/apache/datafusion-sqlparser-rs/pull/1801
    };

    /// <summary>CrateDB since 4.3.</summary>
    public static ServerProfile CrateDb { get; } = new("CrateDB 5")
    {
        // sendParams, handleSync in server/src/main/java/io/crate/protocols/postgres/PostgresWireProtocol.java of crate/crate.
        Parameters =
        [
            ("crate_version", "5.10.1"), ("server_version", "14.0"), ("server_encoding", "UTF8"), ("client_encoding", "UTF8"), ("datestyle", "ISO"),
            ("TimeZone", "UTC"), ("integer_datetimes", "on"),
        ],
        ErrorsLookLikeTransactions = true,
        Refuses =
        [
            // ROLLBACK is an error, BEGIN and COMMIT have no effect: https://github.com/crate/crate/pull/10597
            ("ROLLBACK", "42601", "line 1:1: mismatched input 'ROLLBACK'"),
            ("SAVEPOINT", "42601", "line 1:1: mismatched input 'SAVEPOINT'"),
            // No such statement in docs/sql/statements of crate/crate; DISCARD is there and accepted.
            ("UNLISTEN", "42601", "line 1:1: mismatched input 'UNLISTEN'"),
            ("pg_advisory", "42883", "Unknown function: pg_advisory_unlock_all()"),
            // Worst case, as for CockroachDB.
            ("LATERAL", "42601", "line 1:1: mismatched input 'LATERAL'"),
            ("RECURSIVE", "42601", "line 1:6: mismatched input 'RECURSIVE'"),
            ("pg_get_keywords", "42883", "Unknown function: pg_catalog.pg_get_keywords()"),
        ],
        Version = new(14, 0),
    };

    /// <summary>CrateDB 3, which sent no key and no transaction status.</summary>
    public static ServerProfile CrateDb3 { get; } = CrateDb with
    {
        Name = "CrateDB 3",
        // https://github.com/crate/crate/pull/6476 has its login; the transaction status came with /pull/10157.
        Parameters =
        [
            ("crate_version", "3.3.5"), ("server_version", "9.5.0"), ("server_encoding", "UTF8"), ("client_encoding", "UTF8"), ("datestyle", "ISO"),
        ],
        SendsKey = false,
        IgnoresBegin = true,
        ErrorsLookLikeTransactions = false,
        Refuses = [.. CrateDb.Refuses, ("DISCARD", "XX000", "SQLParseException: line 1:1: mismatched input 'DISCARD'")],
        CanBeReset = false,
        Version = new(9, 5, 0),
    };

    /// <summary>RDS Proxy in front of PostgreSQL: https://github.com/pgdogdev/pgdog/pull/918 says that it sends no key.</summary>
    public static ServerProfile RdsProxy { get; } = new("RDS Proxy")
    {
        Parameters = [("server_version", "16.4"), ("client_encoding", "UTF8"), ("standard_conforming_strings", "on")],
        SendsKey = false,
        Version = new(16, 4),
    };

    /// <summary>No server in particular: it reports nothing that a driver could rely on.</summary>
    public static ServerProfile Odd { get; } = new("odd parameters")
    {
        Parameters =
        [
            ("", ""), ("server_version", "devel"), ("SERVER_ENCODING", "utf-8"), ("x", new string('y', 5000)), ("server_version", "next.18"),
            ("integer_datetimes", ""), ("client_encoding", "UTF8"), ("größe", "ß"),
        ],
        SendsKey = false,
        Refuses = [(";", "42601", "one statement at a time"), ("pg_catalog", "42P01", "schema \"pg_catalog\" does not exist")],
        CanBeReset = true,
        Version = new(0, 0),
    };

    public static IEnumerable<ServerProfile> All => [CockroachDb22, CockroachDb26, YugabyteDb, Redshift, CrateDb, CrateDb3, RdsProxy, Odd];
}
