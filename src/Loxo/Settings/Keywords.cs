using System.Collections.Frozen;
using Loxo.Pool;
using Flag = Loxo.Settings.Keyword<bool>;
using Number = Loxo.Settings.Keyword<int>;
using Text = Loxo.Settings.Keyword<string?>;

namespace Loxo.Settings;

/// <summary>The table of keywords. The builder, URIs, the environment and the error messages all follow from it.</summary>
internal static class Keywords
{
    private const int MostSeconds = int.MaxValue / 1000; // the system's timeouts are 32-bit milliseconds
    private const int MostBytes = 1 << 30;
    private const int LongestName = 40;
    private const string NoLimit = ", 0 for no limit";
    private const string SystemDefault = ", 0 for the system's default";


    private static readonly List<Keyword> _rows = []; // before the rows, which add themselves: fields are initialized in this order
    private static readonly TextFormat _anyText = new();
    private static readonly FlagFormat _flag = new();

    // Server, user and database
    public static readonly Text Host = Add(new Text("Host", new TextFormat(HostList.Check))
    {
        Synonyms = ["Server"], Variable = "PGHOST", LibpqName = "host",
    });

    public static readonly Text HostAddress = Add(new Text("Host Address", new TextFormat(HostList.CheckAddress))
    {
        Variable = "PGHOSTADDR", LibpqName = "hostaddr",
    });

    public static readonly Keyword<int[]> Port =
        Add(new Keyword<int[]>("Port", new PortsFormat(), [PortsFormat.Default]) { Variable = "PGPORT", LibpqName = "port" });

    public static readonly Text Database =
        Add(new Text("Database", _anyText) { Synonyms = ["DB"], Variable = "PGDATABASE", LibpqName = "dbname" });

    public static readonly Text Username = Add(new Text("Username", _anyText)
    {
        Synonyms = ["User Name", "UserId", "User Id", "UID"], Variable = "PGUSER", LibpqName = "user",
    });

    public static readonly Text Password = Add(new Text("Password", _anyText)
    {
        Synonyms = ["PSW", "PWD"], Variable = "PGPASSWORD", LibpqName = "password", IsSecret = true,
    });

    public static readonly Text Passfile = Add(new Text("Passfile", _anyText) { Variable = "PGPASSFILE", LibpqName = "passfile" });

    public static readonly Text ApplicationName =
        Add(new Text("Application Name", _anyText) { Variable = "PGAPPNAME", LibpqName = "application_name" });

    public static readonly Text FallbackApplicationName =
        Add(new Text("Fallback Application Name", _anyText) { LibpqName = "fallback_application_name" });

    public static readonly Text Service = Add(new Text("Service", _anyText) { Variable = "PGSERVICE", LibpqName = "service" });

    public static readonly Text ServiceFile =
        Add(new Text("Service File", _anyText) { Variable = "PGSERVICEFILE", LibpqName = "servicefile" });

    public static readonly Flag Enlist = Add(new Flag("Enlist", _flag, true));

    public static readonly Text SearchPath = Add(new Text("Search Path", _anyText));

    public static readonly Text ClientEncoding = Add(new Text("Client Encoding", _anyText)
    {
        Variable = "PGCLIENTENCODING", LibpqName = "client_encoding", Limit = new("another encoding than UTF-8", IsUtf8, "takes only UTF8"),
    });

    public static readonly Text Encoding =
        Add(new Text("Encoding", _anyText, "UTF8") { Limit = new("another encoding than UTF-8", IsUtf8, "takes only UTF8") });

    public static readonly Text Timezone = Add(new Text("Timezone", _anyText) { Variable = "PGTZ" });

    public static readonly Text Options = Add(new Text("Options", _anyText) { Variable = "PGOPTIONS", LibpqName = "options" });

    // Encryption
    public static readonly Keyword<SslMode> SslMode =
        Add(new Keyword<SslMode>("SSL Mode", Choice<SslMode>(), Loxo.SslMode.Prefer) { Variable = "PGSSLMODE", LibpqName = "sslmode" });

    public static readonly Keyword<SslNegotiation> SslNegotiation =
        Add(new Keyword<SslNegotiation>("SSL Negotiation", Choice<SslNegotiation>(), Loxo.SslNegotiation.Postgres)
        {
            Variable = "PGSSLNEGOTIATION", LibpqName = "sslnegotiation",
        });

    public static readonly Keyword<GssEncryptionMode> GssEncryptionMode =
        Add(new Keyword<GssEncryptionMode>("GSS Encryption Mode", Choice<GssEncryptionMode>())
        {
            Variable = "PGGSSENCMODE", LibpqName = "gssencmode",
        });

    public static readonly Text SslCertificate =
        Add(new Text("SSL Certificate", _anyText) { Variable = "PGSSLCERT", LibpqName = "sslcert" });

    public static readonly Text SslKey = Add(new Text("SSL Key", _anyText) { Variable = "PGSSLKEY", LibpqName = "sslkey" });

    public static readonly Text SslPassword =
        Add(new Text("SSL Password", _anyText) { LibpqName = "sslpassword", IsSecret = true });

    public static readonly Text RootCertificate =
        Add(new Text("Root Certificate", _anyText) { Variable = "PGSSLROOTCERT", LibpqName = "sslrootcert" });

    public static readonly Flag CheckCertificateRevocation = Add(new Flag("Check Certificate Revocation", _flag));

    // Authentication
    public static readonly Keyword<ChannelBinding> ChannelBinding =
        Add(new Keyword<ChannelBinding>("Channel Binding", Choice<ChannelBinding>(), Loxo.ChannelBinding.Prefer)
        {
            Variable = "PGCHANNELBINDING", LibpqName = "channel_binding",
        });

    public static readonly Text RequireAuth = Add(new Text("Require Auth", new TextFormat(RequireAuthList.Check))
    {
        Variable = "PGREQUIREAUTH", LibpqName = "require_auth",
    });

    public static readonly Text KerberosServiceName = Add(new Text("Kerberos Service Name", _anyText, "postgres")
    {
        Synonyms = ["Krbsrvname"], Variable = "PGKRBSRVNAME", LibpqName = "krbsrvname",
    });

    public static readonly Flag IncludeRealm = Add(new Flag("Include Realm", _flag, true));

    public static readonly Flag PersistSecurityInfo = Add(new Flag("Persist Security Info", _flag));

    // Logging and error details
    public static readonly Flag LogParameters = Add(new Flag("Log Parameters", _flag));

    public static readonly Flag IncludeErrorDetail = Add(new Flag("Include Error Detail", _flag));

    public static readonly Flag IncludeFailedBatchedCommand = Add(new Flag("Include Failed Batched Command", _flag));

    // Pool
    public static readonly Flag Pooling = Add(new Flag("Pooling", _flag, true));

    public static readonly Number MinPoolSize =
        Add(new Number("Minimum Pool Size", Count("connections", 0)) { Synonyms = ["MinPoolSize"] });

    public static readonly Number MaxPoolSize =
        Add(new Number("Maximum Pool Size", Count("connections", 1), 100) { Synonyms = ["MaxPoolSize"] });

    public static readonly Number ConnectionIdleLifetime = Add(new Number("Connection Idle Lifetime", Seconds(0, NoLimit), 300));

    public static readonly Number ConnectionPruningInterval = Add(new Number("Connection Pruning Interval", Seconds(1), 10));

    public static readonly Number ConnectionLifetime =
        Add(new Number("Connection Lifetime", Seconds(0, NoLimit), 3600) { Synonyms = ["Load Balance Timeout"] });

    public static readonly Flag Multiplexing = Add(new Flag("Multiplexing", _flag));

    public static readonly Flag NoResetOnClose = Add(new Flag("No Reset On Close", _flag));

    public static readonly Keyword<SessionReset> SessionReset = Add(new Keyword<SessionReset>("Session Reset", Choice<SessionReset>()));

    public static readonly Number ConnectionIdlePingTime = Add(new Number("Connection Idle Ping Time", Seconds(0, ", 0 for none")));

    public static readonly Keyword<Pooler> Pooler = Add(new Keyword<Pooler>("Pooler", Choice<Pooler>()));

    public static readonly Keyword<PlanCacheMode> PlanCacheMode =
        Add(new Keyword<PlanCacheMode>("Plan Cache Mode", Choice<PlanCacheMode>()));

    public static readonly Keyword<AsyncEngine> AsyncEngine = Add(new Keyword<AsyncEngine>("Async Engine", Choice<AsyncEngine>()));

    public static readonly Keyword<ReactorContinuations> ReactorContinuations =
        Add(new Keyword<ReactorContinuations>("Reactor Continuations", Choice<ReactorContinuations>()));

    public static readonly Number ReactorLoops = Add(new Number("Reactor Loops",
        new NumberFormat("a number of loops", 0, 1024, ", 0 for one per four processors")));

    public static readonly Number ReceiveSpin = Add(new Number("Receive Spin",
        new NumberFormat("a number of microseconds", 0, 1000, ", 0 for none"), 100));

    // Timeouts
    public static readonly Number Timeout = Add(new Number("Timeout", new NumberFormat("a number of seconds", 0, 1024, NoLimit), 15)
    {
        Variable = "PGCONNECT_TIMEOUT", LibpqName = "connect_timeout",
    });

    public static readonly Number CommandTimeout = Add(new Number("Command Timeout", Seconds(0, NoLimit), 30));

    public static readonly Number CancellationTimeout = Add(new Number("Cancellation Timeout",
        new NumberFormat("a number of milliseconds", -1, int.MaxValue, ", 0 to wait without limit, -1 not to wait"), 2000));

    public static readonly Number InternalCommandTimeout =
        Add(new Number("Internal Command Timeout", Seconds(-1), -1));

    // Hosts
    public static readonly Keyword<TargetSessionAttributes?> TargetSessionAttributes =
        Add(new Keyword<TargetSessionAttributes?>("Target Session Attributes", TargetWords())
        {
            Variable = "PGTARGETSESSIONATTRS", LibpqName = "target_session_attrs",
        });

    public static readonly Keyword<HostBalance> LoadBalanceHosts = Add(new Keyword<HostBalance>("Load Balance Hosts", new BalanceFormat())
    {
        Variable = "PGLOADBALANCEHOSTS", LibpqName = "load_balance_hosts",
    });

    public static readonly Number HostRecheckSeconds =
        Add(new Number("Host Recheck Seconds", Seconds(0), 10));

    // Keepalive and buffers
    public static readonly Number KeepAlive = Add(new Number("Keepalive", Seconds(0, ", 0 for none")));

    public static readonly Flag TcpKeepAlive = Add(new Flag("TCP Keepalive", _flag) { LibpqName = "keepalives" });

    public static readonly Number TcpKeepAliveTime =
        Add(new Number("TCP Keepalive Time", Seconds(0, SystemDefault)) { LibpqName = "keepalives_idle" });

    public static readonly Number TcpKeepAliveInterval =
        Add(new Number("TCP Keepalive Interval", Seconds(0, ", 0 for the same as 'TCP Keepalive Time'"))
        {
            LibpqName = "keepalives_interval",
        });

    public static readonly Number TcpKeepAliveCount =
        Add(new Number("TCP Keepalive Count", Count("probes", 0, SystemDefault)) { LibpqName = "keepalives_count" });

    public static readonly Number TcpUserTimeout =
        Add(new Number("TCP User Timeout", new NumberFormat("a number of milliseconds", 0, int.MaxValue, SystemDefault))
        {
            LibpqName = "tcp_user_timeout",
        });

    public static readonly Number ReadBufferSize = Add(new Number("Read Buffer Size", Bytes(4096), 8192));

    public static readonly Number WriteBufferSize = Add(new Number("Write Buffer Size", Bytes(4096), 8192));

    public static readonly Number SocketReceiveBufferSize = Add(new Number("Socket Receive Buffer Size", Bytes(0, SystemDefault)));

    public static readonly Number SocketSendBufferSize = Add(new Number("Socket Send Buffer Size", Bytes(0, SystemDefault)));

    // Statements and values
    public static readonly Number MaxAutoPrepare = Add(new Number("Max Auto Prepare", Count("statements", 0, ", 0 for none"), 256));

    public static readonly Number AutoPrepareMinUsages = Add(new Number("Auto Prepare Min Usages", Count("uses", 1), 2));

    public static readonly Keyword<ArrayNullabilityMode> ArrayNullabilityMode =
        Add(new Keyword<ArrayNullabilityMode>("Array Nullability Mode", Choice<ArrayNullabilityMode>(), Loxo.ArrayNullabilityMode.Never));

    public static readonly Flag LoadTableComposites = Add(new Flag("Load Table Composites", _flag));

    public static readonly Keyword<ServerCompatibilityMode> ServerCompatibilityMode =
        Add(new Keyword<ServerCompatibilityMode>("Server Compatibility Mode", Choice<ServerCompatibilityMode>()));

    public static readonly Keyword<CompatibilityMode> Compatibility =
        Add(new Keyword<CompatibilityMode>("Compatibility", Choice<CompatibilityMode>()));

    public static readonly Number WriteCoalescingBufferThresholdBytes =
        Add(new Number("Write Coalescing Buffer Threshold Bytes", Bytes(0), 1000));

    public static readonly Flag TrustServerCertificate = Add(new Flag("Trust Server Certificate", _flag));

    private static readonly FrozenDictionary<string, Keyword> _byName = _rows
        .Concat(LibpqParameters.All)
        .SelectMany(row => row.Names.Select(name => (name, row)))
        .DistinctBy(pair => pair.name, StringComparer.OrdinalIgnoreCase) // "Host" is both a name and a property
        .ToFrozenDictionary(pair => pair.name, pair => pair.row, StringComparer.OrdinalIgnoreCase);

    private static readonly FrozenDictionary<string, Keyword> _byLibpqName = _rows.Concat(LibpqParameters.All)
        .Where(row => row.LibpqName is not null)
        .ToFrozenDictionary(row => row.LibpqName!, StringComparer.OrdinalIgnoreCase);

    public static IReadOnlyList<Keyword> All { get; } = [.. _rows, .. LibpqParameters.All];

    public static Keyword? Find(string name) => _byName.GetValueOrDefault(name);

    /// <summary>The keyword of a parameter of libpq, by libpq's name alone.</summary>
    public static Keyword? FindLibpq(string name) => _byLibpqName.GetValueOrDefault(name);

    public static Keyword? FindUriParameter(string name) => FindLibpq(name) ?? Find(name);

    /// <summary>The keyword that was probably meant: libpq's name for it, or a name that a slip or two of the finger makes of it.</summary>
    public static Keyword? Nearest(string name)
    {
        if (_byLibpqName.GetValueOrDefault(name) is { } keyword)
            return keyword;
        if (name.Length > LongestName)
            return null;
        var (row, distance) = _byName
            .Select(pair => (Row: pair.Value, Distance: EditDistance(pair.Key, name)))
            .MinBy(pair => pair.Distance);
        return distance <= Math.Min(2, name.Length / 4) ? row : null;
    }

    // The slips of the finger between two words: a letter too many, missing, wrong, or swapped with its neighbour.
    private static int EditDistance(string left, string right)
    {
        var distances = new int[left.Length + 1, right.Length + 1];
        for (var i = 0; i <= left.Length; i++)
        {
            for (var j = 0; j <= right.Length; j++)
                distances[i, j] = i == 0 || j == 0 ? i + j : Step(distances, left, right, i, j);
        }
        return distances[left.Length, right.Length];
    }

    private static int Step(int[,] distances, string left, string right, int i, int j)
    {
        var same = Same(left[i - 1], right[j - 1]);
        var best = Math.Min(Math.Min(distances[i - 1, j], distances[i, j - 1]) + 1, distances[i - 1, j - 1] + (same ? 0 : 1));
        var swapped = i > 1 && j > 1 && Same(left[i - 1], right[j - 2]) && Same(left[i - 2], right[j - 1]);
        return swapped ? Math.Min(best, distances[i - 2, j - 2] + 1) : best;
    }

    private static bool Same(char left, char right) => char.ToUpperInvariant(left) == char.ToUpperInvariant(right);

    private static Keyword<T> Add<T>(Keyword<T> row)
    {
        _rows.Add(row);
        return row;
    }

    private static NumberFormat Seconds(int least, string note = "") => new("a number of seconds", least, MostSeconds, note);

    private static NumberFormat Bytes(int least, string note = "") => new("a number of bytes", least, MostBytes, note);

    private static NumberFormat Count(string what, int least, string note = "") => new("a number of " + what, least, int.MaxValue, note);

    private static ChoiceFormat<T> Choice<T>() where T : struct, Enum =>
        new([.. Enum.GetValues<T>().Select(value => (value.ToString(), value))]);

    private static WordFormat<TargetSessionAttributes?> TargetWords() => new(
        ("any", Loxo.TargetSessionAttributes.Any),
        ("read-write", Loxo.TargetSessionAttributes.ReadWrite),
        ("read-only", Loxo.TargetSessionAttributes.ReadOnly),
        ("primary", Loxo.TargetSessionAttributes.Primary),
        ("standby", Loxo.TargetSessionAttributes.Standby),
        ("prefer-primary", Loxo.TargetSessionAttributes.PreferPrimary),
        ("prefer-standby", Loxo.TargetSessionAttributes.PreferStandby));

    private static bool IsUtf8(string? encoding) =>
        encoding is null || Spelling.SameWord(encoding, "UTF8") || Spelling.SameWord(encoding, "Unicode") || encoding == "auto";
}
