using System.Data.Common;
using Loxo.Embedded.Configuration;

namespace Loxo.Embedded;

/// <summary>
/// A real PostgreSQL server for tests and samples, with a data directory of its own that is removed when the server is disposed, when the
/// process ends, or, after a kill, by the next start.
/// </summary>
/// <remarks>All members may be used from several threads; operations on one server run one after the other.</remarks>
public sealed class PgEmbeddedServer : IDisposable, IAsyncDisposable
{
    private readonly Lock _gate = new();
    private readonly ServerParts _parts;
    private bool _disposed;

    internal PgEmbeddedServer(ServerParts parts, int port)
    {
        _parts = parts;
        Port = port;
        ConnectionString = MakeConnectionString();
        ProcessId = parts.Postmaster.ProcessId;
        ExitGuard.Watch(this);
    }

    /// <summary>
    /// A connection string for the superuser and the database <c>postgres</c>, over TCP:
    /// <c>Host=127.0.0.1;Port=...;Username=...;Database=postgres</c>, with <c>Password</c> when
    /// <see cref="PgEmbeddedServerOptions.Password"/> is set.
    /// </summary>
    public string ConnectionString { get; }

    /// <summary>The address to connect to: <c>127.0.0.1</c>. The server also listens on <c>::1</c> where the machine has IPv6.</summary>
    public string Host => "127.0.0.1";

    /// <summary>The TCP port, which is also part of the name of the Unix socket.</summary>
    public int Port { get; }

    /// <summary>
    /// The folder of the Unix socket, to be used as a host name in a connection string. Only this process's user and root may enter it.
    /// </summary>
    public string SocketDirectory => _parts.Workspace.Directory;

    /// <summary>The server's version, such as 18.4.</summary>
    public Version Version => _parts.Binaries.Version;

    /// <summary>The data directory.</summary>
    public string DataDirectory => _parts.Workspace.DataDirectory;

    /// <summary>The file that the server writes its log to.</summary>
    public string LogFile => _parts.Postmaster.LogFile;

    /// <summary>The folder of the server's programs.</summary>
    public string BinaryDirectory => _parts.Binaries.Directory;

    /// <summary>The process id of the server's main process, or 0 while the server is stopped.</summary>
    public int ProcessId { get; private set; }

    /// <summary>
    /// The certificate of the authority that signed the server's certificate (PEM), or <see langword="null"/> without TLS.
    /// </summary>
    public string? AuthorityCertificatePath => _parts.Certificates?.Authority;

    /// <summary>A client certificate that the server accepts (PEM), or <see langword="null"/> without TLS.</summary>
    public string? ClientCertificatePath => _parts.Certificates?.Client;

    /// <summary>The key of the client certificate (PKCS#8 in PEM, not encrypted), or <see langword="null"/> without TLS.</summary>
    public string? ClientKeyPath => _parts.Certificates?.ClientKey;

    /// <summary>Starts a server and blocks until it accepts connections.</summary>
    /// <param name="options">What kind of server; <see langword="null"/> means the defaults.</param>
    /// <returns>The running server. Dispose it to stop and remove it.</returns>
    /// <exception cref="PgEmbeddedServerException">No server was found, or it did not start. The message says what to install or
    /// change.</exception>
    /// <exception cref="ArgumentException">An option has a value that cannot be used.</exception>
    public static PgEmbeddedServer Start(PgEmbeddedServerOptions? options = null) => Launch(options, CancellationToken.None);

    /// <summary>Starts a server without blocking the caller.</summary>
    /// <param name="options">What kind of server; <see langword="null"/> means the defaults.</param>
    /// <param name="cancellationToken">Gives the start up; what had been started by then is stopped and removed.</param>
    /// <returns>The running server. Dispose it to stop and remove it.</returns>
    /// <exception cref="PgEmbeddedServerException">No server was found, or it did not start. The message says what to install or
    /// change.</exception>
    /// <exception cref="ArgumentException">An option has a value that cannot be used.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static Task<PgEmbeddedServer> StartAsync(PgEmbeddedServerOptions? options = null, CancellationToken cancellationToken = default)
    {
        var copy = options?.Copy(); // before the caller gets to change it
        return OnThread(() => Launch(copy, cancellationToken), cancellationToken);
    }

    /// <summary>Stops the server and keeps its data, blocking. Does nothing when it is stopped.</summary>
    /// <param name="mode">How; fast by default.</param>
    /// <exception cref="PgEmbeddedServerException">It did not stop within half a minute.</exception>
    public void Stop(PgStopMode mode = PgStopMode.Fast)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            _parts.Postmaster.Stop(mode);
            ProcessId = 0;
        }
    }

    /// <inheritdoc cref="Stop"/>
    /// <returns>A task that ends when the server has stopped.</returns>
    public Task StopAsync(PgStopMode mode = PgStopMode.Fast) => OnThread(() => Stop(mode));

    /// <summary>Stops the server if it runs, and starts it again with its data and on its port, blocking.</summary>
    /// <param name="mode">How it stops; fast by default.</param>
    /// <exception cref="PgEmbeddedServerException">It did not stop or start.</exception>
    public void Restart(PgStopMode mode = PgStopMode.Fast)
    {
        lock (_gate)
        {
            Stop(mode);
            if (!_parts.Postmaster.TryStart(CancellationToken.None))
                throw new PgEmbeddedServerException(
                    $"The server could not start again: its port {Port} has been taken by another program meanwhile.");
            ProcessId = _parts.Postmaster.ProcessId;
        }
    }

    /// <inheritdoc cref="Restart"/>
    /// <returns>A task that ends when the server accepts connections again.</returns>
    public Task RestartAsync(PgStopMode mode = PgStopMode.Fast) => OnThread(() => Restart(mode));

    /// <summary>
    /// Writes settings to postgresql.conf, if any are given, and tells the server to read postgresql.conf and pg_hba.conf again, blocking.
    /// It does so shortly afterwards; settings that need a restart wait for <see cref="Restart"/>.
    /// </summary>
    /// <param name="settings">Names and values; <see langword="null"/> means that the files are as they should be.</param>
    /// <exception cref="PgEmbeddedServerException">The server does not run.</exception>
    public void Reload(IReadOnlyDictionary<string, string>? settings = null)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            OptionsValidation.CheckSettings(settings ?? new Dictionary<string, string>());
            if (settings is not null)
                ServerFiles.AppendSettings(DataDirectory, settings);
            _parts.Postmaster.Reload();
        }
    }

    /// <inheritdoc cref="Reload"/>
    /// <returns>A task that ends when the server has been told.</returns>
    public Task ReloadAsync(IReadOnlyDictionary<string, string>? settings = null) => OnThread(() => Reload(settings));

    /// <summary>
    /// Kills the server with all its processes, as a crash would, and keeps its data, blocking. Clients see the end of their connections,
    /// some after a last FATAL message. <see cref="Restart"/> brings the server back, with recovery. The last commits may be lost, because
    /// they are not flushed one by one (<c>synchronous_commit</c> is off): run <c>CHECKPOINT</c> before, or change that setting. Does
    /// nothing when the server is stopped.
    /// </summary>
    /// <exception cref="PgEmbeddedServerException">It could not be killed.</exception>
    public void Kill()
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            _parts.Postmaster.Kill();
            ProcessId = 0;
        }
    }

    /// <inheritdoc cref="Kill"/>
    /// <returns>A task that ends when the server is gone.</returns>
    public Task KillAsync() => OnThread(Kill);

    /// <summary>Stops the server at once and removes its data, blocking. What cannot be removed is left to the next start.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            if (_disposed)
                return;
            _disposed = true;
            ExitGuard.Forget(this);
            StopForGood();
            _parts.Workspace.Dispose();
            ProcessId = 0;
        }
    }

    /// <inheritdoc cref="Dispose"/>
    /// <returns>A task that ends when the server is gone.</returns>
    public ValueTask DisposeAsync() => new(OnThread(Dispose));

    private static PgEmbeddedServer Launch(PgEmbeddedServerOptions? options, CancellationToken token) =>
        new ServerLauncher((options ?? new PgEmbeddedServerOptions()).Copy()).Launch(token);

    // Starting and stopping is waiting for programs and for the file system, neither of which is truly asynchronous; a thread of its own
    // keeps that off the caller and off the thread pool.
    private static Task<T> OnThread<T>(Func<T> work, CancellationToken token = default) =>
        Task.Factory.StartNew(work, token, TaskCreationOptions.LongRunning | TaskCreationOptions.DenyChildAttach, TaskScheduler.Default);

    private static Task OnThread(Action work) =>
        OnThread(() =>
        {
            work();
            return true;
        });

    private void StopForGood()
    {
        try
        {
            _parts.Postmaster.Stop(PgStopMode.Immediate);
        }
        catch (PgEmbeddedServerException)
        {
            // The workspace kills what still runs when it goes.
        }
    }

    private string MakeConnectionString()
    {
        var builder = new DbConnectionStringBuilder
        {
            ["Host"] = Host,
            ["Port"] = Port,
            ["Username"] = _parts.Options.Superuser,
            ["Database"] = "postgres",
        };
        if (_parts.Options.Password is { } password)
            builder["Password"] = password;
        return builder.ConnectionString;
    }
}
