namespace Loxo.Replication;

internal static class ReplicationErrors
{
    public static InvalidOperationException NotOpen() => new("The replication connection is not open: call Open first.");

    public static InvalidOperationException AlreadyOpen() => new("The replication connection is open already.");

    public static InvalidOperationException NoConnectionString() =>
        new("The replication connection has no connection string: set ConnectionString before Open.");

    public static InvalidOperationException NotStreaming() =>
        new("There is nothing to report: no replication runs on this connection. "
            + "Call SendStatusUpdate while StartReplication is enumerated.");

    public static InvalidOperationException Streaming() => new(
        "A replication runs on this connection, which takes no other command meanwhile. "
        + "End its enumeration first, or use another connection.");

    public static PgException Silent(TimeSpan limit) => new(
        $"The server has sent nothing for {limit}, not even an answer to a request for one ('WalReceiverTimeout'). The connection has been "
        + "closed.", PgErrorCode.Timeout, new TimeoutException("The server has sent nothing for too long."));

    public static PgException Malformed(string what) =>
        new($"The replication stream cannot be read: {what}. The connection has been closed.", PgErrorCode.ProtocolViolation);

    public static PgException UnexpectedAnswer(string command) => new(
        $"The server's answer to {command} is not as expected: it may not be PostgreSQL 10 or later.", PgErrorCode.ProtocolViolation);

    public static PgException NeedsServer(string feature, int version) => new(
        $"{feature} needs PostgreSQL {version} or later.", PgErrorCode.NotSupported);

    public static InvalidOperationException NoRow() => new("The value is of no row: take it from a row.");

    public static PgException Diverged(PgLogSequenceNumber read, PgLogSequenceNumber end) => new(
        $"The server that has become the primary has the former one's write-ahead log up to {end}, but changes up to {read} were read. It "
        + "does not have the last of them, and the stream would miss what it has written in their place. Read the tables again, with a new "
        + "slot. With 'synchronized_standby_slots' on the primary this cannot happen.",
        PgErrorCode.ChangesLost);

    public static InvalidCastException NoValue(string column, Type? nullAs) => nullAs is not null
        ? new($"Column '{column}' is NULL: ask IsDBNull first, or {TypeErrors.NullRemedy(nullAs)}.")
        : new($"Column '{column}' has a large value that was not changed, so the server has not sent it. "
            + "Ask IsUnchangedToastedValue first. With REPLICA IDENTITY FULL the old row has the value.");
}
