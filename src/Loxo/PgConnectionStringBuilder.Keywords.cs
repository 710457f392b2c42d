using System.ComponentModel;
using Loxo.Settings;

namespace Loxo;

// A property for each keyword: where to connect, as whom, how it is encrypted, and what the session starts with.
public sealed partial class PgConnectionStringBuilder
{
    /// <summary>
    /// A host name or IP address, with <c>:port</c> if it is not <see cref="Port"/>; or the directory of a Unix socket, or <c>@name</c> for
    /// an abstract one. Several are separated by commas. Environment: PGHOST. The default, null, is the Unix socket of a server on this
    /// machine, in <c>/var/run/postgresql</c> or <c>/tmp</c>; where there is none, connecting is refused.
    /// </summary>
    /// <exception cref="ArgumentException">An entry is empty, or its port is not one.</exception>
    [DisplayName("Host")]
    public string? Host { get => Get(Keywords.Host); set => Set(Keywords.Host, value); }

    /// <summary>
    /// The IP address to connect to, so that <see cref="Host"/> is not looked up: that remains the name in the certificate and in the
    /// password file. Environment: PGHOSTADDR. The default, null, looks up the host.
    /// </summary>
    /// <exception cref="ArgumentException">The value is no IP address.</exception>
    [DisplayName("Host Address")]
    public string? HostAddress { get => Get(Keywords.HostAddress); set => Set(Keywords.HostAddress, value); }

    /// <summary>
    /// A section of a service file, whose parameters hold where the connection string says nothing, before those of the environment.
    /// Environment: PGSERVICE. The default, null, reads no service file.
    /// </summary>
    [DisplayName("Service")]
    public string? Service { get => Get(Keywords.Service); set => Set(Keywords.Service, value); }

    /// <summary>
    /// The path of a service file; <c>pg_service.conf</c> in the directory PGSYSCONFDIR is read when it does not have the service.
    /// Environment: PGSERVICEFILE. The default, null, is <c>~/.pg_service.conf</c>, on Windows
    /// <c>%APPDATA%\postgresql\.pg_service.conf</c>.
    /// </summary>
    [DisplayName("Service File")]
    public string? ServiceFile { get => Get(Keywords.ServiceFile); set => Set(Keywords.ServiceFile, value); }

    /// <summary>
    /// The port of hosts that do not name theirs, and in a Unix socket's name. A connection string may list one for each host, of which the
    /// property shows the first. Environment: PGPORT. The default is 5432.
    /// </summary>
    /// <exception cref="ArgumentException">The value is not between 1 and 65535.</exception>
    [DisplayName("Port")]
    public int Port { get => Get(Keywords.Port)[0]; set => Store(Keywords.Port, Keywords.Port.ToText(value)); }

    /// <summary>The database to open. Environment: PGDATABASE. The default, null, is the database named like the user.</summary>
    [DisplayName("Database")]
    public string? Database { get => Get(Keywords.Database); set => Set(Keywords.Database, value); }

    /// <summary>The role to log in as. Environment: PGUSER. The default, null, is the operating system's name for the user.</summary>
    [DisplayName("Username")]
    public string? Username { get => Get(Keywords.Username); set => Set(Keywords.Username, value); }

    /// <summary>The password. Environment: PGPASSWORD. The default, null, looks it up in <see cref="Passfile"/>.</summary>
    [DisplayName("Password"), PasswordPropertyText(true)]
    public string? Password { get => Get(Keywords.Password); set => Set(Keywords.Password, value); }

    /// <summary>
    /// The path of a password file with lines <c>host:port:database:user:password</c>. It is passed over if its group or others can read it
    /// (not on Windows). Environment: PGPASSFILE. The default, null, is <c>~/.pgpass</c>, on Windows
    /// <c>%APPDATA%\postgresql\pgpass.conf</c>.
    /// </summary>
    [DisplayName("Passfile")]
    public string? Passfile { get => Get(Keywords.Passfile); set => Set(Keywords.Passfile, value); }

    /// <summary>The <c>application_name</c> in the server's views and log. Environment: PGAPPNAME. The default, null, sends none.</summary>
    [DisplayName("Application Name")]
    public string? ApplicationName { get => Get(Keywords.ApplicationName); set => Set(Keywords.ApplicationName, value); }

    /// <summary>The <see cref="ApplicationName"/> where neither that nor PGAPPNAME is set. The default, null, sends none.</summary>
    [DisplayName("Fallback Application Name")]
    public string? FallbackApplicationName
    {
        get => Get(Keywords.FallbackApplicationName);
        set => Set(Keywords.FallbackApplicationName, value);
    }

    /// <summary>Whether opening takes part in the ambient transaction of System.Transactions. The default is true.</summary>
    [DisplayName("Enlist")]
    public bool Enlist { get => Get(Keywords.Enlist); set => Set(Keywords.Enlist, value); }

    /// <summary>The session's <c>search_path</c>, such as <c>app, public</c>. The default, null, leaves the server's.</summary>
    [DisplayName("Search Path")]
    public string? SearchPath { get => Get(Keywords.SearchPath); set => Set(Keywords.SearchPath, value); }

    /// <summary>
    /// The session's <c>client_encoding</c>; only UTF8 can be used. Environment: PGCLIENTENCODING. The default, null, is UTF8.
    /// </summary>
    [DisplayName("Client Encoding")]
    public string? ClientEncoding { get => Get(Keywords.ClientEncoding); set => Set(Keywords.ClientEncoding, value); }

    /// <summary>The encoding that text is read and written in; only UTF8 can be used. The default is UTF8.</summary>
    [DisplayName("Encoding")]
    public string? Encoding { get => Get(Keywords.Encoding); set => Set(Keywords.Encoding, value); }

    /// <summary>The session's <c>TimeZone</c>: <c>Europe/Rome</c>. Environment: PGTZ. The default, null, leaves the server's.</summary>
    [DisplayName("Timezone")]
    public string? Timezone { get => Get(Keywords.Timezone); set => Set(Keywords.Timezone, value); }

    /// <summary>Settings as command-line options: <c>-c geqo=off</c>. Environment: PGOPTIONS. The default, null, sends none.</summary>
    [DisplayName("Options")]
    public string? Options { get => Get(Keywords.Options); set => Set(Keywords.Options, value); }

    /// <summary>Whether TLS is used and certificates are checked. Environment: PGSSLMODE. The default is Prefer; VerifyFull if a root
    /// certificate is named.</summary>
    [DisplayName("SSL Mode")]
    public SslMode SslMode { get => Get(Keywords.SslMode); set => Set(Keywords.SslMode, value); }

    /// <summary>How TLS is begun. Environment: PGSSLNEGOTIATION. The default is <see cref="SslNegotiation.Postgres"/>.</summary>
    [DisplayName("SSL Negotiation")]
    public SslNegotiation SslNegotiation { get => Get(Keywords.SslNegotiation); set => Set(Keywords.SslNegotiation, value); }

    /// <summary>Whether GSSAPI encrypts. Environment: PGGSSENCMODE. The default is <see cref="GssEncryptionMode.Disable"/>.</summary>
    [DisplayName("GSS Encryption Mode")]
    public GssEncryptionMode GssEncryptionMode { get => Get(Keywords.GssEncryptionMode); set => Set(Keywords.GssEncryptionMode, value); }

    /// <summary>The client's certificate, a PEM or PKCS #12 file. Environment: PGSSLCERT. The default, null, is
    /// <c>~/.postgresql/postgresql.crt</c> if that exists.</summary>
    [DisplayName("SSL Certificate")]
    public string? SslCertificate { get => Get(Keywords.SslCertificate); set => Set(Keywords.SslCertificate, value); }

    /// <summary>Its key, a PEM file. Environment: PGSSLKEY. The default, null, is the file of <see cref="SslCertificate"/> if it holds a
    /// key, else <c>~/.postgresql/postgresql.key</c>.</summary>
    [DisplayName("SSL Key")]
    public string? SslKey { get => Get(Keywords.SslKey); set => Set(Keywords.SslKey, value); }

    /// <summary>The password of <see cref="SslKey"/>. The default, null, is for a key that is not encrypted.</summary>
    [DisplayName("SSL Password"), PasswordPropertyText(true)]
    public string? SslPassword { get => Get(Keywords.SslPassword); set => Set(Keywords.SslPassword, value); }

    /// <summary>A PEM file with the authorities to trust instead of the system's; <c>system</c> for the system's. Environment:
    /// PGSSLROOTCERT. The default, null, is <c>~/.postgresql/root.crt</c> if that exists and certificates are checked, else the
    /// system's.</summary>
    [DisplayName("Root Certificate")]
    public string? RootCertificate { get => Get(Keywords.RootCertificate); set => Set(Keywords.RootCertificate, value); }

    /// <summary>
    /// Whether to ask the authority if the server's certificate was revoked. It matters only where certificates are checked:
    /// <see cref="SslMode.VerifyCA"/> and <see cref="SslMode.VerifyFull"/>. The default is false.
    /// </summary>
    [DisplayName("Check Certificate Revocation")]
    public bool CheckCertificateRevocation
    {
        get => Get(Keywords.CheckCertificateRevocation);
        set => Set(Keywords.CheckCertificateRevocation, value);
    }

    /// <summary>Whether SCRAM is tied to TLS. Environment: PGCHANNELBINDING. The default is <see cref="ChannelBinding.Prefer"/>.</summary>
    [DisplayName("Channel Binding")]
    public ChannelBinding ChannelBinding { get => Get(Keywords.ChannelBinding); set => Set(Keywords.ChannelBinding, value); }

    /// <summary>
    /// The authentication methods that the server may use, with commas between them: Password, MD5, GSS, SSPI, ScramSHA256, None; or, each
    /// with <c>!</c>, those that it may not. libpq's spellings are accepted too. Environment: PGREQUIREAUTH. The default, null, allows all.
    /// </summary>
    /// <exception cref="ArgumentException">A method is unknown, or some have <c>!</c> and others not.</exception>
    [DisplayName("Require Auth")]
    public string? RequireAuth { get => Get(Keywords.RequireAuth); set => Set(Keywords.RequireAuth, value); }

    /// <summary>The service part of the server's Kerberos name. The default is <c>postgres</c>.</summary>
    [DisplayName("Kerberos Service Name")]
    public string? KerberosServiceName { get => Get(Keywords.KerberosServiceName); set => Set(Keywords.KerberosServiceName, value); }

    /// <summary>Has no effect: the user is <see cref="Username"/>, PGUSER or the system's, never taken from a Kerberos ticket.</summary>
    [DisplayName("Include Realm")]
    public bool IncludeRealm { get => Get(Keywords.IncludeRealm); set => Set(Keywords.IncludeRealm, value); }

    /// <summary>Whether the connection string of an opened connection still shows the password. The default is false.</summary>
    [DisplayName("Persist Security Info")]
    public bool PersistSecurityInfo { get => Get(Keywords.PersistSecurityInfo); set => Set(Keywords.PersistSecurityInfo, value); }

    // Pool, timeouts, buffers, statements and values.

    /// <summary>Whether connections are kept for the next open. The default is true.</summary>
    [DisplayName("Pooling")]
    public bool Pooling { get => Get(Keywords.Pooling); set => Set(Keywords.Pooling, value); }

    /// <summary>
    /// How many connections the pool opens ahead and keeps even when idle. The default is 0. It replaces a broken one when it notices that:
    /// at its next use, or before that with Keepalive.
    /// </summary>
    /// <exception cref="ArgumentException">The value is negative.</exception>
    [DisplayName("Minimum Pool Size")]
    public int MinPoolSize { get => Get(Keywords.MinPoolSize); set => Set(Keywords.MinPoolSize, value); }

    /// <summary>How many connections the pool opens at most. The default is 100.</summary>
    /// <exception cref="ArgumentException">The value is less than 1.</exception>
    [DisplayName("Maximum Pool Size")]
    public int MaxPoolSize { get => Get(Keywords.MaxPoolSize); set => Set(Keywords.MaxPoolSize, value); }

    /// <summary>Seconds after which an idle connection above <see cref="MinPoolSize"/> is closed. The default is 300; 0: never.</summary>
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
    /// Seconds after which the pool replaces a connection, when it is idle or comes back. Each connection's is shortened by up to a tenth,
    /// so that those opened together do not end together. The default is 3600; 0 means no limit.
    /// </summary>
    /// <exception cref="ArgumentException">The value is negative or above 2147483.</exception>
    [DisplayName("Connection Lifetime")]
    public int ConnectionLifetime { get => Get(Keywords.ConnectionLifetime); set => Set(Keywords.ConnectionLifetime, value); }

    /// <summary>
    /// Whether the plain commands of all connections and of the data source share a few sessions of the pool. The default is false.
    /// Without <see cref="Pooling"/>, true is an error. With a <see cref="MaxPoolSize"/> of 1, a <see cref="SessionReset"/> of Always or
    /// Verify, or a <see cref="Pooler"/>, each connection has a session of its own all the same.
    /// </summary>
    [DisplayName("Multiplexing")]
    public bool Multiplexing { get => Get(Keywords.Multiplexing); set => Set(Keywords.Multiplexing, value); }

    /// <summary>Whether sessions go back to the pool as they are: as <see cref="SessionReset"/> Never. The default is false.</summary>
    [DisplayName("No Reset On Close")]
    public bool NoResetOnClose { get => Get(Keywords.NoResetOnClose); set => Set(Keywords.NoResetOnClose, value); }

    /// <summary>When sessions that go back to the pool are reset. The default is <see cref="Loxo.SessionReset.Auto"/>.</summary>
    [DisplayName("Session Reset")]
    public SessionReset SessionReset { get => Get(Keywords.SessionReset); set => Set(Keywords.SessionReset, value); }

    /// <summary>
    /// Seconds of idleness after which a pooled connection is asked for a sign of life, in a round trip of its own, before it is handed
    /// out. The default is 0: none is asked for, the connection's socket is only looked at.
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

    /// <summary>What waits for the server during asynchronous calls. The default is <see cref="Loxo.AsyncEngine.Auto"/>.</summary>
    [DisplayName("Async Engine")]
    public AsyncEngine AsyncEngine { get => Get(Keywords.AsyncEngine); set => Set(Keywords.AsyncEngine, value); }

    /// <summary>Where the code behind an await goes on with the reactor. The default is <c>Inline</c>, on the loop's thread.</summary>
    [DisplayName("Reactor Continuations")]
    public ReactorContinuations ReactorContinuations
    {
        get => Get(Keywords.ReactorContinuations); set => Set(Keywords.ReactorContinuations, value);
    }

    /// <summary>The number of the reactor's loops, which data sources share. The default is 0: one per four processors.</summary>
    /// <exception cref="ArgumentException">The value is not between 0 and 1024.</exception>
    [DisplayName("Reactor Loops")]
    public int ReactorLoops { get => Get(Keywords.ReactorLoops); set => Set(Keywords.ReactorLoops, value); }

    /// <summary>
    /// Microseconds that a blocking call on Linux looks for its answer before it sleeps, while no other thread of the process waits for an
    /// answer. The default is 100; 0 lets it sleep at once. On a single processor nothing is looked for.
    /// </summary>
    /// <exception cref="ArgumentException">The value is not between 0 and 1000.</exception>
    [DisplayName("Receive Spin")]
    public int ReceiveSpin { get => Get(Keywords.ReceiveSpin); set => Set(Keywords.ReceiveSpin, value); }

    /// <summary>
    /// Seconds for name lookup, connecting, TLS and login together. Environment: PGCONNECT_TIMEOUT. The default is 15; 0 means no limit.
    /// </summary>
    /// <exception cref="ArgumentException">The value is not between 0 and 1024.</exception>
    [DisplayName("Timeout")]
    public int Timeout { get => Get(Keywords.Timeout); set => Set(Keywords.Timeout, value); }

    /// <summary>Seconds that a command may run, unless it says otherwise, before it is cancelled. The default is 30; 0: no limit.</summary>
    /// <exception cref="ArgumentException">The value is negative or above 2147483.</exception>
    [DisplayName("Command Timeout")]
    public int CommandTimeout { get => Get(Keywords.CommandTimeout); set => Set(Keywords.CommandTimeout, value); }

    /// <summary>Milliseconds from a cancel request to closing without an answer. The default is 2000; 0: no limit, -1: at once.</summary>
    /// <exception cref="ArgumentException">The value is less than -1.</exception>
    [DisplayName("Cancellation Timeout")]
    public int CancellationTimeout { get => Get(Keywords.CancellationTimeout); set => Set(Keywords.CancellationTimeout, value); }

    /// <summary>
    /// Seconds that a connection is idle, in the pool or in use, before the server is asked for a sign of life. Nobody waits for it: a
    /// connection without an answer is closed at the next look, when <see cref="CommandTimeout"/> is over. The default is 0: none.
    /// </summary>
    /// <exception cref="ArgumentException">The value is negative or above 2147483.</exception>
    [DisplayName("Keepalive")]
    public int KeepAlive { get => Get(Keywords.KeepAlive); set => Set(Keywords.KeepAlive, value); }

    /// <summary>Whether TCP probes idle connections. The default is false, or true if a detail of the probes is set.</summary>
    [DisplayName("TCP Keepalive")]
    public bool TcpKeepAlive { get => Get(Keywords.TcpKeepAlive); set => Set(Keywords.TcpKeepAlive, value); }

    /// <summary>Seconds that a connection is idle before the first TCP probe. The default is 0: the system's.</summary>
    /// <exception cref="ArgumentException">The value is negative or above 2147483.</exception>
    [DisplayName("TCP Keepalive Time")]
    public int TcpKeepAliveTime { get => Get(Keywords.TcpKeepAliveTime); set => Set(Keywords.TcpKeepAliveTime, value); }

    /// <summary>Seconds between TCP probes. The default is 0: the same as <see cref="TcpKeepAliveTime"/>.</summary>
    /// <exception cref="ArgumentException">The value is negative or above 2147483.</exception>
    [DisplayName("TCP Keepalive Interval")]
    public int TcpKeepAliveInterval { get => Get(Keywords.TcpKeepAliveInterval); set => Set(Keywords.TcpKeepAliveInterval, value); }

    /// <summary>How many TCP probes may stay without an answer. The default is 0: the system's.</summary>
    /// <exception cref="ArgumentException">The value is negative.</exception>
    [DisplayName("TCP Keepalive Count")]
    public int TcpKeepAliveCount { get => Get(Keywords.TcpKeepAliveCount); set => Set(Keywords.TcpKeepAliveCount, value); }

    /// <summary>Milliseconds that what was sent may stay unacknowledged, on Linux only. The default is 0: the system's.</summary>
    /// <exception cref="ArgumentException">The value is negative.</exception>
    [DisplayName("TCP User Timeout")]
    public int TcpUserTimeout { get => Get(Keywords.TcpUserTimeout); set => Set(Keywords.TcpUserTimeout, value); }

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

    /// <summary>
    /// Which provider's ways the driver has where Loxo departs from Npgsql on purpose. The default is <see cref="CompatibilityMode.None"/>.
    /// </summary>
    [DisplayName("Compatibility")]
    public CompatibilityMode Compatibility { get => Get(Keywords.Compatibility); set => Set(Keywords.Compatibility, value); }
}
