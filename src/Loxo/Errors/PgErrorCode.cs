namespace Loxo;

/// <summary>
/// Why the driver threw a <see cref="PgException"/>. The numbers are stable: a value keeps its meaning across versions, and new ones are
/// added at the end of their group. For what the server reported, see <see cref="PostgresException.SqlState"/>.
/// </summary>
public enum PgErrorCode
{
    /// <summary>No code: the exception was made outside the driver.</summary>
    /// <remarks>Look at the message and the inner exception.</remarks>
    Unspecified = 0,

    /// <summary>The server reported an error; the exception is a <see cref="PostgresException"/>, whose SqlState says which.</summary>
    /// <remarks>
    /// Look at SqlState, MessageText, Detail and Hint: PostgreSQL documents each SQLSTATE. Nothing is wrong with the connection unless
    /// its State is Closed.
    /// </remarks>
    ServerError = 1,

    /// <summary>The server, the network or another thread closed the connection while it was needed.</summary>
    /// <remarks>
    /// Open the connection again and repeat the work, if running it twice is safe. The server's log says why it closed; the inner
    /// exception tells of the network.
    /// </remarks>
    ConnectionClosed = 100,

    /// <summary>Nothing listens at the address, or the connection was refused or could not be routed.</summary>
    /// <remarks>Check Host and Port, whether the server runs, its listen_addresses, and the firewall between.</remarks>
    ConnectionRefused = 101,

    /// <summary>The host name has no address.</summary>
    /// <remarks>Check Host, and whether this machine's name service knows it.</remarks>
    HostNotFound = 102,

    /// <summary>Another command runs on the connection; the exception is a <see cref="PgOperationInProgressException"/>.</summary>
    /// <remarks>Close the reader first, give each task a connection of its own, or use a pipeline or 'Multiplexing=true'.</remarks>
    ConnectionBusy = 103,

    /// <summary>A time limit (Timeout, Command Timeout, Cancellation Timeout) passed.</summary>
    /// <remarks>
    /// For a command raise CommandTimeout or 'Command Timeout', or find out what it waits for in pg_stat_activity; for opening raise
    /// 'Timeout'.
    /// </remarks>
    Timeout = 104,

    /// <summary>The operation was cancelled.</summary>
    /// <remarks>Nothing: the caller asked for it.</remarks>
    Cancelled = 105,

    /// <summary>All connections of the pool were in use until the time limit passed.</summary>
    /// <remarks>
    /// Dispose connections as soon as they are not needed; the message tells of the oldest rents. If there are too few, raise 'Maximum
    /// Pool Size' or 'Timeout'.
    /// </remarks>
    PoolExhausted = 106,

    /// <summary>None of several hosts serves what 'Target Session Attributes' asks for, or can be reached.</summary>
    /// <remarks>
    /// The message says of each host why; the inner exceptions are those of the hosts that were tried. After the loss of a primary try
    /// again until a standby has been promoted.
    /// </remarks>
    NoSuitableHost = 107,

    /// <summary>The server refused TLS, and the SSL Mode demands it.</summary>
    /// <remarks>Switch TLS on in the server (ssl = on), or use 'SSL Mode=Prefer' where the network is trusted.</remarks>
    TlsRefused = 200,

    /// <summary>The TLS handshake failed, or the server's certificate was not accepted.</summary>
    /// <remarks>
    /// The inner exception tells what is wrong with the certificate. Name the authority in 'Root Certificate', and connect by the name
    /// in the certificate.
    /// </remarks>
    TlsFailed = 201,

    /// <summary>The login failed on our side: no password, a broken SCRAM message, or a server that does not know the password.</summary>
    /// <remarks>Check Password, the password file and the password provider.</remarks>
    AuthenticationFailed = 202,

    /// <summary>The server asks for a way of logging in that the driver or its settings do not allow.</summary>
    /// <remarks>Change the method in pg_hba.conf, or 'Require Auth' and 'Channel Binding' in the connection string.</remarks>
    AuthenticationNotSupported = 203,

    /// <summary>
    /// A file of certificates, of the client's key or of revoked certificates cannot be used, or the server does not accept the client's
    /// certificate.
    /// </summary>
    /// <remarks>The message names the keyword, the file and what is wrong with it.</remarks>
    CertificateUnusable = 204,

    /// <summary>The server sent something that the protocol does not allow at this point. The connection has been closed.</summary>
    /// <remarks>
    /// Check whether something stands between client and server that changes the bytes, and that Port leads to PostgreSQL. Otherwise
    /// report it.
    /// </remarks>
    ProtocolViolation = 300,

    /// <summary>A message is longer than the protocol or a limit of the driver allows.</summary>
    /// <remarks>Send the value in parts: as a large object, as several rows, or with COPY.</remarks>
    MessageTooLarge = 301,

    /// <summary>
    /// A value that the server has sent cannot be decoded: its bytes do not fit its type, its text is not UTF-8, or a codec of yours has
    /// failed. Or a row cannot be copied; the exception is a <see cref="PgBulkCopyException"/>.
    /// </summary>
    /// <remarks>
    /// Look at the message and the inner exception. A .NET type that does not go with the PostgreSQL type is an InvalidCastException
    /// instead, and a number or date that does not fit into the .NET type an OverflowException.
    /// </remarks>
    ConversionFailed = 400,

    /// <summary>The SQL text names a parameter that the command does not have.</summary>
    /// <remarks>Add the parameter, or write the name in another way if it is no placeholder.</remarks>
    ParameterMissing = 401,

    /// <summary>
    /// A parameter or a value of a copy cannot be sent: its type does not exist in the database, its text holds a NUL character or half of
    /// a surrogate pair, its object cannot become JSON, or its stream has failed or ended early. Or the SQL text holds a NUL character.
    /// </summary>
    /// <remarks>
    /// The message says what is wrong. A parameter without a value is an InvalidOperationException instead, one whose .NET type does not
    /// fit an InvalidCastException, and one that is out of range an OverflowException.
    /// </remarks>
    ParameterInvalid = 402,

    /// <summary>A statement has more parameters than the protocol can number (65,535).</summary>
    /// <remarks>Pass an array and use = ANY(@ids) or unnest, or use COPY or ExecuteMany.</remarks>
    TooManyParameters = 403,

    /// <summary>A transaction that was to be committed had failed, and the server has rolled it back.</summary>
    /// <remarks>Repeat the transaction. The error of the statement that failed was thrown before.</remarks>
    TransactionRolledBack = 405,

    /// <summary>A prepared statement no longer fits the database, and the command could not be repeated unseen.</summary>
    /// <remarks>Run the command again: it is prepared anew.</remarks>
    StatementOutdated = 406,

    /// <summary>The server has skipped a command of a pipeline, because an earlier one of its group had failed.</summary>
    /// <remarks>Look at the error of the command that failed; the skipped ones have had no effect.</remarks>
    PipelineAborted = 407,

    /// <summary>
    /// The connection was lost while COMMIT, or the Sync of a pipeline, was under way: the transaction may have been committed, or rolled
    /// back.
    /// </summary>
    /// <remarks>Find out by the data whether the transaction was committed before it is repeated.</remarks>
    CommitOutcomeUnknown = 408,

    /// <summary>Notifications have come faster than their reader took them, and the reader wants to miss none.</summary>
    /// <remarks>Read what was notified of from its tables, and begin to listen again; take notifications faster, or allow gaps.</remarks>
    NotificationsLost = 409,

    /// <summary>
    /// A standby has become the primary without having all changes that a stream has read: the stream would miss others if it went on.
    /// </summary>
    /// <remarks>Begin again with a new slot and an initial read.</remarks>
    ChangesLost = 410,

    /// <summary>The server, the type or the driver does not support what was asked for.</summary>
    /// <remarks>The message says what is not supported and, if there is one, another way.</remarks>
    NotSupported = 500,
}
