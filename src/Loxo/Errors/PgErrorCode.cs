namespace Loxo;

/// <summary>
/// Why the driver threw a <see cref="PgException"/>. The numbers are stable: a value keeps its meaning across versions, and new ones are
/// added at the end of their group. For what the server reported, see <see cref="PostgresException.SqlState"/>.
/// </summary>
public enum PgErrorCode
{
    /// <summary>No code: the exception was made outside the driver.</summary>
    Unspecified = 0,

    /// <summary>The server reported an error; the exception is a <see cref="PostgresException"/>, whose SqlState says which.</summary>
    ServerError = 1,

    /// <summary>The server, the network or another thread closed the connection while it was needed.</summary>
    ConnectionClosed = 100,

    /// <summary>Nothing listens at the address, or the connection was refused or could not be routed.</summary>
    ConnectionRefused = 101,

    /// <summary>The host name has no address.</summary>
    HostNotFound = 102,

    /// <summary>Another command runs on the connection; the exception is a <see cref="PgOperationInProgressException"/>.</summary>
    ConnectionBusy = 103,

    /// <summary>A time limit (Timeout, Command Timeout, Cancellation Timeout) passed.</summary>
    Timeout = 104,

    /// <summary>The operation was cancelled.</summary>
    Cancelled = 105,

    /// <summary>All connections of the pool were in use until the time limit passed.</summary>
    PoolExhausted = 106,

    /// <summary>The server refused TLS, and the SSL Mode demands it.</summary>
    TlsRefused = 200,

    /// <summary>The TLS handshake failed, or the server's certificate was not accepted.</summary>
    TlsFailed = 201,

    /// <summary>The login failed on our side: no password, a broken SCRAM message, or a server that does not know the password.</summary>
    AuthenticationFailed = 202,

    /// <summary>The server asks for a way of logging in that the driver or its settings do not allow.</summary>
    AuthenticationNotSupported = 203,

    /// <summary>The server sent something that the protocol does not allow at this point. The connection has been closed.</summary>
    ProtocolViolation = 300,

    /// <summary>A message is longer than the protocol or a limit of the driver allows.</summary>
    MessageTooLarge = 301,

    /// <summary>A value cannot be converted between its PostgreSQL type and the .NET type.</summary>
    ConversionFailed = 400,

    /// <summary>The SQL text names a parameter that the command does not have.</summary>
    ParameterMissing = 401,

    /// <summary>A parameter cannot be sent: no value, no type, a duplicate name, or a value out of range.</summary>
    ParameterInvalid = 402,

    /// <summary>A statement has more parameters than the protocol can number (65,535).</summary>
    TooManyParameters = 403,

    /// <summary>The SQL text cannot be split or rewritten: an unterminated quote or comment, or a mix of parameter styles.</summary>
    SqlTextInvalid = 404,

    /// <summary>A transaction that was to be committed had failed, and the server has rolled it back.</summary>
    TransactionRolledBack = 405,

    /// <summary>A prepared statement no longer fits the database, and the command could not be repeated unseen.</summary>
    StatementOutdated = 406,

    /// <summary>The server has skipped a command of a pipeline, because an earlier one of its group had failed.</summary>
    PipelineAborted = 407,

    /// <summary>The connection was lost while COMMIT was under way: the transaction may have been committed, or rolled back.</summary>
    CommitOutcomeUnknown = 408,

    /// <summary>Notifications have come faster than their reader took them, and the reader wants to miss none.</summary>
    NotificationsLost = 409,

    /// <summary>
    /// A standby has become the primary without having all changes that a stream has read: the stream would miss others if it went on.
    /// </summary>
    ChangesLost = 410,

    /// <summary>The server, the type or the driver does not support what was asked for.</summary>
    NotSupported = 500,
}
