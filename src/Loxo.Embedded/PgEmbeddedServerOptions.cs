namespace Loxo.Embedded;

/// <summary>
/// What kind of server <see cref="PgEmbeddedServer"/> starts. Copied at the start, so later changes have no effect on a running server.
/// </summary>
public sealed class PgEmbeddedServerOptions
{
    /// <summary>The major version wanted, such as 18. <see langword="null"/>, the default, means the newest that is found.</summary>
    public int? Version { get; set; }

    /// <summary>
    /// The folder that holds <c>initdb</c>, <c>pg_ctl</c> and <c>postgres</c>; nothing else is looked at then. <see langword="null"/>, the
    /// default, means to look on <c>PATH</c>, in the usual folders of the operating system and in <see cref="CacheDirectory"/>.
    /// </summary>
    public string? BinaryDirectory { get; set; }

    /// <summary>What may be fetched or installed when no fitting server is found. Nothing by default.</summary>
    public PgAcquire Acquire { get; set; }

    /// <summary>
    /// The folder for what is kept between starts (fetched binaries, templates of data directories) and for the data directories of running
    /// servers. <see langword="null"/>, the default, means the environment variable <c>LOXO_EMBEDDED_CACHE</c>, else a folder in the user's
    /// cache folder, or <c>/var/cache/loxo-embedded</c> for root. Processes may share it.
    /// </summary>
    public string? CacheDirectory { get; set; }

    /// <summary>
    /// The folder for the data directories of running servers, unless they are to be in <see cref="CacheDirectory"/>: on Linux a folder in
    /// memory, such as one in <c>/dev/shm</c>, makes and drops databases and tables faster. A data directory takes 40 MB to begin with.
    /// <see langword="null"/>, the default, means the environment variable <c>LOXO_EMBEDDED_RUN</c> unless <see cref="CacheDirectory"/> is
    /// set, else the folder <c>run</c> in the cache folder. Processes may share it.
    /// </summary>
    public string? RunDirectory { get; set; }

    /// <summary>The TCP port. 0, the default, means any free one.</summary>
    public int Port { get; set; }

    /// <summary>
    /// Settings for postgresql.conf, by name; values are written as strings, so <c>"128MB"</c> and <c>"on"</c> are fine. They win over
    /// everything that the other options and the defaults set. <c>port</c>, <c>unix_socket_directories</c>, <c>data_directory</c>,
    /// <c>hba_file</c> and <c>config_file</c> are refused.
    /// </summary>
    public IDictionary<string, string> Settings { get; init; } = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);

    /// <summary>
    /// Lines for pg_hba.conf, placed before the default ones. The defaults let everyone in from this machine: without a password when
    /// <see cref="Password"/> is <see langword="null"/>, else with scram-sha-256.
    /// </summary>
    public IList<string> HbaLines { get; init; } = [];

    /// <summary>TLS. <see langword="null"/>, the default, means that the server refuses it.</summary>
    public PgEmbeddedTlsOptions? Tls { get; set; }

    /// <summary>The server's <c>wal_level</c>. <see langword="null"/>, the default, leaves the server's own (replica).</summary>
    public PgWalLevel? WalLevel { get; set; }

    /// <summary>The server's <c>max_prepared_transactions</c>. 0, the default, turns two-phase commit off.</summary>
    public int MaxPreparedTransactions { get; set; }

    /// <summary>The name of the superuser. <c>postgres</c> by default.</summary>
    public string Superuser { get; set; } = "postgres";

    /// <summary>The superuser's password. <see langword="null"/>, the default, means none, and that nobody is asked for one.</summary>
    public string? Password { get; set; }

    /// <summary>
    /// Further arguments for <c>initdb</c>, such as <c>--locale=en_US.UTF-8</c>. They come after our own (UTF-8, locale C) and so win over
    /// them.
    /// </summary>
    public IList<string> InitdbArguments { get; init; } = [];

    /// <summary>
    /// SQL statements run once as superuser in the database <c>postgres</c> before the server listens, such as <c>CREATE ROLE</c>. Their
    /// effect is kept in the template, so a second start does not run them again. Each is one transaction; none may hold a line that ends
    /// in a semicolon followed by an empty line.
    /// </summary>
    public IList<string> InitialStatements { get; init; } = [];

    /// <summary>How long the preparation of the data directory and the start of the server may take. One minute by default.</summary>
    public TimeSpan StartTimeout { get; set; } = TimeSpan.FromMinutes(1);

    /// <summary>How long one of the sources in <see cref="Acquire"/> may take. Ten minutes by default.</summary>
    public TimeSpan AcquireTimeout { get; set; } = TimeSpan.FromMinutes(10);

    /// <summary>
    /// Called with a line for every step of the start, on the thread that starts. <see langword="null"/>, the default, means silence.
    /// </summary>
    public Action<string>? Log { get; set; }

    internal PgEmbeddedServerOptions Copy() => new()
    {
        Version = Version,
        BinaryDirectory = BinaryDirectory,
        Acquire = Acquire,
        CacheDirectory = CacheDirectory,
        RunDirectory = RunDirectory,
        Port = Port,
        Settings = new Dictionary<string, string>(Settings, StringComparer.OrdinalIgnoreCase),
        HbaLines = [.. HbaLines],
        Tls = Tls is null ? null : new PgEmbeddedTlsOptions { HostNames = [.. Tls.HostNames], ClientName = Tls.ClientName },
        WalLevel = WalLevel,
        MaxPreparedTransactions = MaxPreparedTransactions,
        Superuser = Superuser,
        Password = Password,
        InitdbArguments = [.. InitdbArguments],
        InitialStatements = [.. InitialStatements],
        StartTimeout = StartTimeout,
        AcquireTimeout = AcquireTimeout,
        Log = Log,
    };
}
