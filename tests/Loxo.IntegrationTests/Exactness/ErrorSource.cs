namespace Loxo.IntegrationTests.Exactness;

/// <summary>An error that a statement's own code raises, with a SQLSTATE that could be mistaken for news about the statement itself.</summary>
/// <param name="Name">A short name, unique.</param>
/// <param name="SqlState">The SQLSTATE that the caller must see.</param>
/// <param name="Message">The start of the message that the caller must see.</param>
/// <param name="Body">The statement with which the server raises the error by itself; null for RAISE.</param>
public sealed record ErrorSource(string Name, string SqlState, string Message, string? Body = null)
{
    private const string NoBinaryOutput = "no binary output function available for type aclitem";

    /// <summary>Forged by RAISE: same SQLSTATE and message as the server's, another routine.</summary>
    private static readonly ErrorSource[] _raised =
    [
        new("unknown statement", SqlStates.InvalidSqlStatementName, "prepared statement \"s1\" does not exist"),
        new("26000 of an application", SqlStates.InvalidSqlStatementName, "no such report"),
        new("statement exists", SqlStates.DuplicatePreparedStatement, "prepared statement \"s1\" already exists"),
        new("cached plan", SqlStates.FeatureNotSupported, "cached plan must not change result type"),
        new("type is gone", SqlStates.InternalError, "cache lookup failed for type 12345"),
        new("wrong field", SqlStates.DatatypeMismatch, "wrong data type: 25, expected 23"),
        new("no binary output", SqlStates.UndefinedFunction, NoBinaryOutput),
        new("wrong formats", SqlStates.ProtocolViolation, "bind message has 1 result formats but query has 2 columns"),
        new("wrong parameters", SqlStates.ProtocolViolation, "bind message supplies 1 parameters, but prepared statement \"\" requires 0"),
        new("cancel", SqlStates.QueryCanceled, "canceling statement due to user request"),
        new("timeout", SqlStates.QueryCanceled, "canceling statement due to statement timeout"),
        new("shutdown that is not FATAL", SqlStates.AdminShutdown, "terminating connection due to administrator command"),
        new("connection failure that is not FATAL", SqlStates.ConnectionFailure, "server closed the connection unexpectedly"),
        new("serialization failure", SqlStates.SerializationFailure, "could not serialize access due to concurrent update"),
        new("deadlock", SqlStates.DeadlockDetected, "deadlock detected"),
        new("failed transaction", SqlStates.InFailedSqlTransaction, "current transaction is aborted, commands ignored until end of transaction block"),
        new("unknown portal", SqlStates.InvalidCursorName, "portal \"\" does not exist"),
        new("unknown type of a parameter", SqlStates.IndeterminateDatatype, "could not determine data type of parameter $1"),
        new("wrong binary input", SqlStates.InvalidBinaryRepresentation, "incorrect binary data format in bind parameter 1"),
        new("undefined table", SqlStates.UndefinedTable, "relation \"proof_gone\" does not exist"),
    ];

    /// <summary>Raised by the server itself, from the same routine as for a statement of the driver.</summary>
    private static readonly ErrorSource[] _genuine =
    [
        new("EXECUTE of an unknown statement", SqlStates.InvalidSqlStatementName, "prepared statement \"proof_none\" does not exist", "EXECUTE proof_none"),
        new("DEALLOCATE of an unknown statement", SqlStates.InvalidSqlStatementName, "prepared statement \"proof_none\" does not exist", "DEALLOCATE proof_none"),
        new("DEALLOCATE ALL, then EXECUTE", SqlStates.InvalidSqlStatementName, "prepared statement \"proof_none\" does not exist",
            "DO $$ BEGIN EXECUTE 'DEALLOCATE ALL'; EXECUTE 'EXECUTE proof_none'; END $$"),
        new("EXECUTE of the driver's statement that is gone", SqlStates.InvalidSqlStatementName, "prepared statement \"", """
            DO $$
            DECLARE latest text := coalesce((SELECT name FROM pg_prepared_statements WHERE NOT from_sql ORDER BY prepare_time DESC LIMIT 1), 'proof_none');
            BEGIN
                EXECUTE format('DEALLOCATE %I', latest);
                EXECUTE format('EXECUTE %I', latest);
            END $$
            """),
        new("PREPARE of a known statement", SqlStates.DuplicatePreparedStatement, "prepared statement \"proof_twice\" already exists",
            "DO $$ BEGIN EXECUTE 'PREPARE proof_twice AS SELECT 1'; EXECUTE 'PREPARE proof_twice AS SELECT 1'; END $$"),
        new("EXECUTE of an outdated statement", SqlStates.FeatureNotSupported, "cached plan must not change result type", """
            DO $$
            BEGIN
                IF EXISTS (SELECT FROM pg_prepared_statements WHERE name = 'proof_outdated') THEN DEALLOCATE proof_outdated; END IF;
                CREATE TEMP TABLE proof_altered (a int);
                PREPARE proof_outdated AS SELECT * FROM proof_altered;
                ALTER TABLE proof_altered ADD b int;
                EXECUTE 'EXECUTE proof_outdated';
            END $$
            """),
        new("binary COPY of aclitem", SqlStates.UndefinedFunction, NoBinaryOutput, "COPY (SELECT (acldefault('r', 10::oid))[1]) TO '/dev/null' (FORMAT binary)"),
        new("binary COPY of aclitem[]", SqlStates.UndefinedFunction, "no binary output function available for type", "COPY (SELECT acldefault('r', 10::oid)) TO '/dev/null' (FORMAT binary)"),
        new("array_send", SqlStates.UndefinedFunction, "no binary output function available for type", "SELECT array_send(acldefault('r', 10::oid))"),
        new("record_send", SqlStates.UndefinedFunction, NoBinaryOutput, "SELECT record_send(ROW((acldefault('r', 10::oid))[1]))"),
        new("array_in of an unknown type", SqlStates.InternalError, "cache lookup failed for type 999999", "SELECT array_in('{1}', 999999, -1)"),
        new("pg_cancel_backend", SqlStates.QueryCanceled, "canceling statement due to user request",
            "SELECT pg_sleep(600) FROM (SELECT pg_cancel_backend(pg_backend_pid())) x"),
    ];

    public static IEnumerable<ErrorSource> All => _raised.Concat(_genuine);

    public override string ToString() => Name;
}
