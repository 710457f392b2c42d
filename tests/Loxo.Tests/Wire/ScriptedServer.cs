using System.Collections.Concurrent;
using System.Net;
using Loxo.Tests.ConnectionStrings;
using Loxo.Transport;
using Microsoft.Extensions.Logging;

namespace Loxo.Tests.Wire;

/// <summary>
/// A server in memory that plays a script on a thread of its own. Nothing in it takes real time: script and driver wait for each other,
/// and the clock moves when the script says so. If a test hangs nevertheless, a guard ends every connection and the test fails.
/// </summary>
internal sealed class ScriptedServer : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(5);

    private readonly BlockingCollection<ScriptedChannel> _dialed = [];
    private readonly ConcurrentBag<ScriptedChannel> _channels = [];
    private readonly Timer _guard;
    private Thread? _thread;
    private Exception? _failure;
    private string? _aborted;

    public ScriptedServer()
    {
        Dialer = new ScriptedDialer(this);
        _guard = new Timer(_ => Abort($"The test took longer than {Patience.TotalSeconds} s: client or script wait for something that never comes."));
        _guard.Change(Patience, Timeout.InfiniteTimeSpan);
    }

    public SimulatedTime Time { get; } = new();

    public ScriptedDialer Dialer { get; }

    /// <summary>How many connections were made, cancel requests included.</summary>
    public int Connections => _channels.Count;

    /// <summary>
    /// A data source whose connections lead here. Unless <paramref name="more"/> says so there is no pool, and nothing is prepared unasked. Its database hides nothing,
    /// so that a plain query is run at once.
    /// </summary>
    public PgDataSource DataSource(string more = "", ILoggerFactory? loggers = null)
    {
        var source = new PgDataSource(
            Given.Settings("Host=scripted;Username=alice;Password=secret;Database=shop;SSL Mode=Disable;Timeout=15;Command Timeout=30;Cancellation Timeout=2000;"
                + $"Pooling=false;Max Auto Prepare=0;{more}"),
            loggers, Dialer, Time);
        source.Context.Database.HidesNothing = static _ => true;
        return source;
    }

    /// <summary>Starts the script with the first connection that is made.</summary>
    public void Play(Action<ScriptedPeer> script)
    {
        _thread = new Thread(() => Run(script)) { IsBackground = true, Name = "Script" };
        _thread.Start();
    }

    /// <summary>Serves so many connections as the profile says, at the same time if need be.</summary>
    public List<ProfiledServer> Play(ServerProfile profile, int connections = 1)
    {
        var servers = new List<ProfiledServer>();
        Play(first =>
        {
            var threads = new List<Task>();
            for (var i = 0; i < connections; i++)
            {
                var server = new ProfiledServer(profile, i == 0 ? first : Accept());
                servers.Add(server);
                threads.Add(Task.Factory.StartNew(server.Serve, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default));
            }
            Task.WhenAll(threads).GetAwaiter().GetResult();
        });
        return servers;
    }

    /// <summary>The next connection that the driver makes.</summary>
    public ScriptedPeer Accept()
    {
        var channel = _dialed.Take();
        return _aborted is null ? new ScriptedPeer(this, channel) : throw new AssertionException(_aborted);
    }

    /// <summary>Waits for the script's end, and throws what went wrong in it.</summary>
    public void Finish()
    {
        if (_thread is not null && !_thread.Join(Patience))
            Abort("The script did not come to its end.");
        _thread?.Join();
        if (_failure is not null)
            throw new AssertionException("The script failed: " + _failure.Message, _failure);
        if (_aborted is not null)
            throw new AssertionException(_aborted);
    }

    public void Dispose()
    {
        _guard.Dispose();
        _dialed.Dispose();
    }

    /// <summary>Makes a channel; the script takes it by <see cref="Accept"/>.</summary>
    internal ScriptedChannel Connect(EndPoint remote)
    {
        var channel = new ScriptedChannel(Time, remote);
        _channels.Add(channel);
        _dialed.Add(channel);
        return channel;
    }

    internal void ThrowIfAborted()
    {
        if (_aborted is not null)
            throw new AssertionException(_aborted);
    }

    private void Run(Action<ScriptedPeer> script)
    {
        try
        {
            script(Accept());
        }
        catch (Exception e)
        {
            _failure = e;
            Abort("The script failed: " + e.Message);
        }
    }

    private void Abort(string reason)
    {
        _aborted ??= reason;
        Dialer.Abort();
        foreach (var channel in _channels)
            channel.Abort(reason);
        _dialed.Add(new ScriptedChannel(Time, ScriptedDialer.Address));
    }
}
