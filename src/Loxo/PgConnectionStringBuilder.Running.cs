using System.ComponentModel;
using Loxo.Settings;

namespace Loxo;

// Pool, timeouts, buffers, statements and values.
public sealed partial class PgConnectionStringBuilder
{
    /// <summary>Whether connections are kept for the next open. The default is true.</summary>
    [DisplayName("Pooling")]
    public bool Pooling { get => Get(Keywords.Pooling); set => Set(Keywords.Pooling, value); }

    /// <summary>How many connections the pool opens ahead, keeps even when idle, and replaces when they break. The default is 0.</summary>
    /// <exception cref="ArgumentException">The value is negative.</exception>
    [DisplayName("Minimum Pool Size")]
    public int MinPoolSize { get => Get(Keywords.MinPoolSize); set => Set(Keywords.MinPoolSize, value); }

    /// <summary>How many connections the pool opens at most. The default is 100.</summary>
    /// <exception cref="ArgumentException">The value is less than 1.</exception>
    [DisplayName("Maximum Pool Size")]
    public int MaxPoolSize { get => Get(Keywords.MaxPoolSize); set => Set(Keywords.MaxPoolSize, value); }

    /// <summary>
    /// Seconds after which the pool closes an idle connection above <see cref="MinPoolSize"/>, each by its own time. The default is 300; 0 means
    /// no limit.
    /// </summary>
    /// <exception cref="ArgumentException">The value is negative or above 2147483.</exception>
    [DisplayName("Connection Idle Lifetime")]
    public int ConnectionIdleLifetime { get => Get(Keywords.ConnectionIdleLifetime); set => Set(Keywords.ConnectionIdleLifetime, value); }

    /// <summary>Seconds between two looks for idle connections. The default is 10.</summary>
    /// <exception cref="ArgumentException">The value is less than 1 or above 2147483.</exception>
    [DisplayName("Connection Pruning Interval")]
    public int ConnectionPruningInterval
    {
        get => Get(Keywords.ConnectionPruningInterval);
        set => Set(Keywords.ConnectionPruningInterval, value);
    }

    /// <summary>
    /// Seconds after which the pool replaces a connection, when it is idle or comes back. Each connection's is shortened by up to a tenth, so
    /// that those opened together do not end together. The default is 3600; 0 means no limit.
    /// </summary>
    /// <exception cref="ArgumentException">The value is negative or above 2147483.</exception>
    [DisplayName("Connection Lifetime")]
    public int ConnectionLifetime { get => Get(Keywords.ConnectionLifetime); set => Set(Keywords.ConnectionLifetime, value); }

    /// <summary>
    /// Whether a connection goes back to the pool with its session state as it is: the same as <see cref="SessionReset"/> Never. The default is
    /// false.
    /// </summary>
    [DisplayName("No Reset On Close")]
    public bool NoResetOnClose { get => Get(Keywords.NoResetOnClose); set => Set(Keywords.NoResetOnClose, value); }

    /// <summary>
    /// When a connection that goes back to the pool has what was left behind in its session undone. The default is
    /// <see cref="Loxo.SessionReset.Auto"/>.
    /// </summary>
    [DisplayName("Session Reset")]
    public SessionReset SessionReset { get => Get(Keywords.SessionReset); set => Set(Keywords.SessionReset, value); }

    /// <summary>
    /// Seconds of idleness after which a pooled connection is asked for a sign of life, in a round trip of its own, before it is handed out.
    /// The default is 0: none is asked for, the connection's socket is only looked at.
    /// </summary>
    /// <exception cref="ArgumentException">The value is negative or above 2147483.</exception>
    [DisplayName("Connection Idle Ping Time")]
    public int ConnectionIdlePingTime { get => Get(Keywords.ConnectionIdlePingTime); set => Set(Keywords.ConnectionIdlePingTime, value); }

    /// <summary>What stands between the driver and the server. The default is <see cref="Loxo.Pooler.None"/>.</summary>
    [DisplayName("Pooler")]
    public Pooler Pooler { get => Get(Keywords.Pooler); set => Set(Keywords.Pooler, value); }

    /// <summary>How the server plans prepared statements. The default is <see cref="Loxo.PlanCacheMode.Auto"/>.</summary>
    [DisplayName("Plan Cache Mode")]
    public PlanCacheMode PlanCacheMode { get => Get(Keywords.PlanCacheMode); set => Set(Keywords.PlanCacheMode, value); }

    /// <summary>
    /// Seconds that opening may take: name lookup, connecting, TLS and login together. Environment: PGCONNECT_TIMEOUT. The default is 15; 0
    /// means no limit.
    /// </summary>
    /// <exception cref="ArgumentException">The value is not between 0 and 1024.</exception>
    [DisplayName("Timeout")]
    public int Timeout { get => Get(Keywords.Timeout); set => Set(Keywords.Timeout, value); }

    /// <summary>
    /// Seconds that a command may run before it is cancelled, unless the command says otherwise. The default is 30; 0 means no limit.
    /// </summary>
    /// <exception cref="ArgumentException">The value is negative or above 2147483.</exception>
    [DisplayName("Command Timeout")]
    public int CommandTimeout { get => Get(Keywords.CommandTimeout); set => Set(Keywords.CommandTimeout, value); }

    /// <summary>
    /// Milliseconds to wait, after a cancel request, for the server's answer before the connection is closed. The default is 2000; 0 waits
    /// without limit, -1 does not wait.
    /// </summary>
    /// <exception cref="ArgumentException">The value is less than -1.</exception>
    [DisplayName("Cancellation Timeout")]
    public int CancellationTimeout { get => Get(Keywords.CancellationTimeout); set => Set(Keywords.CancellationTimeout, value); }

    /// <summary>Seconds that a connection is idle before a round trip keeps it alive. The default is 0: none.</summary>
    /// <exception cref="ArgumentException">The value is negative or above 2147483.</exception>
    [DisplayName("Keepalive")]
    public int KeepAlive { get => Get(Keywords.KeepAlive); set => Set(Keywords.KeepAlive, value); }

    /// <summary>Whether TCP probes idle connections. The default is false; <see cref="TcpKeepAliveTime"/> implies true.</summary>
    [DisplayName("TCP Keepalive")]
    public bool TcpKeepAlive { get => Get(Keywords.TcpKeepAlive); set => Set(Keywords.TcpKeepAlive, value); }

    /// <summary>Seconds that a connection is idle before the first TCP probe. The default is 0: the system's.</summary>
    /// <exception cref="ArgumentException">The value is negative or above 2147483.</exception>
    [DisplayName("TCP Keepalive Time")]
    public int TcpKeepAliveTime { get => Get(Keywords.TcpKeepAliveTime); set => Set(Keywords.TcpKeepAliveTime, value); }

    /// <summary>Seconds between TCP probes; needs <see cref="TcpKeepAliveTime"/>. The default is 0: the same as that.</summary>
    /// <exception cref="ArgumentException">The value is negative or above 2147483.</exception>
    [DisplayName("TCP Keepalive Interval")]
    public int TcpKeepAliveInterval { get => Get(Keywords.TcpKeepAliveInterval); set => Set(Keywords.TcpKeepAliveInterval, value); }

    /// <summary>Bytes that the buffer for what arrives starts with. The default is 8192.</summary>
    /// <exception cref="ArgumentException">The value is not between 4096 and 1073741824.</exception>
    [DisplayName("Read Buffer Size")]
    public int ReadBufferSize { get => Get(Keywords.ReadBufferSize); set => Set(Keywords.ReadBufferSize, value); }

    /// <summary>Bytes that the buffer for what is sent starts with. The default is 8192.</summary>
    /// <exception cref="ArgumentException">The value is not between 4096 and 1073741824.</exception>
    [DisplayName("Write Buffer Size")]
    public int WriteBufferSize { get => Get(Keywords.WriteBufferSize); set => Set(Keywords.WriteBufferSize, value); }

    /// <summary>Bytes of the socket's receive buffer (SO_RCVBUF). The default is 0: the system's.</summary>
    /// <exception cref="ArgumentException">The value is not between 0 and 1073741824.</exception>
    [DisplayName("Socket Receive Buffer Size")]
    public int SocketReceiveBufferSize
    {
        get => Get(Keywords.SocketReceiveBufferSize);
        set => Set(Keywords.SocketReceiveBufferSize, value);
    }

    /// <summary>Bytes of the socket's send buffer (SO_SNDBUF). The default is 0: the system's.</summary>
    /// <exception cref="ArgumentException">The value is not between 0 and 1073741824.</exception>
    [DisplayName("Socket Send Buffer Size")]
    public int SocketSendBufferSize { get => Get(Keywords.SocketSendBufferSize); set => Set(Keywords.SocketSendBufferSize, value); }

    /// <summary>How many statements a connection keeps prepared without being asked. The default is 256; 0 prepares none.</summary>
    /// <exception cref="ArgumentException">The value is negative.</exception>
    [DisplayName("Max Auto Prepare")]
    public int MaxAutoPrepare { get => Get(Keywords.MaxAutoPrepare); set => Set(Keywords.MaxAutoPrepare, value); }

    /// <summary>With which use a statement is prepared without being asked; 1 is the first. The default is 2.</summary>
    /// <exception cref="ArgumentException">The value is less than 1.</exception>
    [DisplayName("Auto Prepare Min Usages")]
    public int AutoPrepareMinUsages { get => Get(Keywords.AutoPrepareMinUsages); set => Set(Keywords.AutoPrepareMinUsages, value); }

    /// <summary>
    /// Whether arrays of value types are read as <c>T[]</c> or <c>T?[]</c> when no type is asked for. The default is
    /// <see cref="ArrayNullabilityMode.Never"/>.
    /// </summary>
    [DisplayName("Array Nullability Mode")]
    public ArrayNullabilityMode ArrayNullabilityMode
    {
        get => Get(Keywords.ArrayNullabilityMode);
        set => Set(Keywords.ArrayNullabilityMode, value);
    }

    /// <summary>Whether the values of parameters are written to the log. The default is false.</summary>
    [DisplayName("Log Parameters")]
    public bool LogParameters { get => Get(Keywords.LogParameters); set => Set(Keywords.LogParameters, value); }

    /// <summary>Whether exceptions and notices carry the server's DETAIL, which may contain values of rows. The default is false.</summary>
    [DisplayName("Include Error Detail")]
    public bool IncludeErrorDetail { get => Get(Keywords.IncludeErrorDetail); set => Set(Keywords.IncludeErrorDetail, value); }

    /// <summary>Whether an exception carries the command of a batch that failed, with its parameters. The default is false.</summary>
    [DisplayName("Include Failed Batched Command")]
    public bool IncludeFailedBatchedCommand
    {
        get => Get(Keywords.IncludeFailedBatchedCommand);
        set => Set(Keywords.IncludeFailedBatchedCommand, value);
    }

    /// <summary>Whether the row types of tables are known as composite types. The default is false.</summary>
    [DisplayName("Load Table Composites"), Browsable(false), Obsolete("Accepted from connection strings of Npgsql, and without effect: row types of tables are looked up like any other type.")]
    public bool LoadTableComposites { get => Get(Keywords.LoadTableComposites); set => Set(Keywords.LoadTableComposites, value); }

    /// <summary>Allowances for servers that are not quite PostgreSQL. The default is <see cref="ServerCompatibilityMode.None"/>.</summary>
    [DisplayName("Server Compatibility Mode"), Browsable(false)]
    [Obsolete("Accepted from Npgsql's connection strings; connecting reads no catalogue in any mode.")]
    public ServerCompatibilityMode ServerCompatibilityMode
    {
        get => Get(Keywords.ServerCompatibilityMode);
        set => Set(Keywords.ServerCompatibilityMode, value);
    }

    /// <summary>
    /// A timeout in seconds for commands of the driver's own. The default, the only one that can be used, is -1: that of other commands.
    /// </summary>
    /// <exception cref="ArgumentException">The value is less than -1 or above 2147483.</exception>
    [DisplayName("Internal Command Timeout"), Browsable(false), Obsolete("Accepted from Npgsql's connection strings; only -1 can be used.")]
    public int InternalCommandTimeout { get => Get(Keywords.InternalCommandTimeout); set => Set(Keywords.InternalCommandTimeout, value); }
}
