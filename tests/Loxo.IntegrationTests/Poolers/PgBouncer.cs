using System.Diagnostics;
using System.Text;

namespace Loxo.IntegrationTests.Poolers;

/// <summary>
/// A pgbouncer in front of <see cref="TestServer.Default"/>, in transaction mode and with few server processes, which take turns: a client meets
/// another one with each transaction. Started by the first test that asks for it.
/// </summary>
internal sealed class PgBouncer : IDisposable
{
    /// <summary>How many server processes each of the databases has.</summary>
    public const int Servers = 2;

    /// <summary>Two names for one database, each with server processes of its own: for clients that know of the pooler, and for those that do not.</summary>
    public const string Aware = "aware", Unaware = "unaware";

    /// <summary>
    /// The same database for the whole suite, under its own name: in transaction mode, with a few server processes from the start, which take
    /// turns, and enough of them for every test.
    /// </summary>
    public const string Suite = "postgres";

    /// <summary>The same database in session mode: each client has a server process of its own, and leaves it to the next one.</summary>
    public const string Session = "session";

    /// <summary>The same database in statement mode: no client keeps a server process for more than a statement.</summary>
    public const string Statement = "statement";

    private static readonly Lazy<PgBouncer> Instance = new(Start);

    private readonly string _directory;
    private readonly int _port;
    private readonly StringBuilder _log = new();
    private readonly TaskCompletionSource _isUp = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Process? _process;

    private PgBouncer(string directory, int port) => (_directory, _port) = (directory, port);

    /// <summary>The one that all tests share. Where there is none and none can be installed, the test is ignored.</summary>
    public static PgBouncer Shared => Instance.Value;

    /// <summary>A connection string for one of the two names.</summary>
    public string ConnectionString(string database) =>
        $"{TestServer.Default.ConnectionString};Host=127.0.0.1;Port={_port};Database={database};SSL Mode=Disable;Cancellation Timeout=30000";

    public static void RemoveShared()
    {
        if (Instance.IsValueCreated)
            Instance.Value.Dispose();
    }

    public void Dispose()
    {
        AppDomain.CurrentDomain.ProcessExit -= Kill;
        Kill(this, EventArgs.Empty);
        _process?.Dispose();
        Directory.Delete(_directory, recursive: true);
    }

    private static PgBouncer Start()
    {
        var program = DebianPackage.Program("pgbouncer", "pgbouncer");
        var directory = Directory.CreateTempSubdirectory("loxo-pgbouncer-").FullName;
        var pooler = new PgBouncer(directory, FreePort.Next());
        try
        {
            pooler.Configure();
            pooler.Launch(program);
            return pooler;
        }
        catch
        {
            pooler.Dispose();
            throw;
        }
    }

    private void Configure()
    {
        var server = new PgConnectionStringBuilder(TestServer.Default.ConnectionString);
        var target = $"host=127.0.0.1 port={server.Port} dbname={server.Database}";
        File.WriteAllText(Path.Combine(_directory, "users.txt"), $"\"{server.Username}\" \"\"\n");
        File.WriteAllText(Path.Combine(_directory, "pgbouncer.ini"), $"""
            [databases]
            {Aware} = {target}
            {Unaware} = {target}
            {Suite} = {target} pool_size=40 min_pool_size=5
            {Session} = {target} pool_mode=session pool_size=20
            {Statement} = {target} pool_mode=statement
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = {_port}
            unix_socket_dir =
            auth_type = trust
            auth_file = {_directory}/users.txt
            pool_mode = transaction
            default_pool_size = {Servers}
            server_round_robin = 1
            max_client_conn = 1000

            """);
        DebianPackage.OpenToAll(_directory); // the user that it runs as is another one, perhaps
    }

    // It refuses to run as root.
    private void Launch(string program)
    {
        var start = new ProcessStartInfo(program, Path.Combine(_directory, "pgbouncer.ini")) { RedirectStandardError = true, WorkingDirectory = _directory };
        if (Environment.IsPrivilegedProcess)
            start.UserName = "nobody"; // the runtime changes the user in the forked child
        AppDomain.CurrentDomain.ProcessExit += Kill;
        _process = new Process { StartInfo = start };
        _process.ErrorDataReceived += (_, line) => Log(line.Data);
        _process.Start();
        _process.BeginErrorReadLine();
        _isUp.Task.GetAwaiter().GetResult();
    }

    // Null is the end of its output, and of itself.
    private void Log(string? line)
    {
        _log.AppendLine(line);
        if (line is null)
            _isUp.TrySetException(new InvalidOperationException("pgbouncer did not start: " + _log));
        else if (line.Contains("process up", StringComparison.Ordinal))
            _isUp.TrySetResult();
    }

    private void Kill(object? sender, EventArgs e)
    {
        try
        {
            _process?.Kill();
            _process?.WaitForExit();
        }
        catch (InvalidOperationException)
        {
            // It has not been started.
        }
    }
}
