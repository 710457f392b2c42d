namespace Loxo.Embedded.Tests;

public class LifeTests
{
    [Test]
    public void Data_survives_a_restart_in_every_mode([Values(PgStopMode.Fast, PgStopMode.Immediate)] PgStopMode mode)
    {
        using var server = Servers.Start();
        Keep42(server);
        var port = server.Port;

        server.Restart(mode);

        Assert.That(MiniClient.Ask(server, "SELECT answer FROM kept"), Is.EqualTo("42"));
        Assert.That(server.Port, Is.EqualTo(port));
    }

    [Test]
    public async Task A_killed_server_comes_back_with_a_restart()
    {
        await using var server = await PgEmbeddedServer.StartAsync(Servers.Fetching());
        Keep42(server);
        using var client = MiniClient.Connect(server);
        var process = server.ProcessId;

        await server.KillAsync();

        Assert.That(Children.IsRunning(process), Is.False);
        Assert.That(server.ProcessId, Is.Zero);
        Assert.That(() => client.Ask("SELECT 1"), Throws.Exception); // end of stream, or a last word about the server's unexpected end
        await server.RestartAsync();
        Assert.That(MiniClient.Ask(server, "SELECT answer FROM kept"), Is.EqualTo("42"));
    }

    [Test, Platform(Exclude = "Win")]
    public async Task Shared_memory_that_a_killed_server_leaves_behind_is_removed_with_its_data()
    {
        var server = Servers.Start();
        var memory = Path.Combine(server.DataDirectory, "pg_dynshmem");
        await server.KillAsync();
        Assert.That(Directory.GetFiles(memory), Is.Not.Empty);

        server.Dispose();

        Assert.That(memory, Does.Not.Exist);
    }

    [Test]
    public void A_server_that_somebody_else_killed_can_be_restarted()
    {
        using var server = Servers.Start();
        using (var process = System.Diagnostics.Process.GetProcessById(server.ProcessId))
            process.Kill(entireProcessTree: true);
        Assert.That(() => Children.IsRunning(server.ProcessId), Is.False.After(10_000, 5));

        server.Restart();

        Assert.That(MiniClient.Ask(server, "SELECT 1"), Is.EqualTo("1"));
    }

    [Test]
    public void A_stopped_server_refuses_connections_until_it_is_restarted()
    {
        using var server = Servers.Start();

        server.Stop();

        Assert.That(() => MiniClient.Connect(server), Throws.InstanceOf<System.Net.Sockets.SocketException>());
        Assert.That(server.ProcessId, Is.Zero);
        server.Restart();
        Assert.That(MiniClient.Ask(server, "SELECT 1"), Is.EqualTo("1"));
    }

    [Test]
    public void A_reload_brings_new_settings()
    {
        using var server = Servers.Start();

        server.Reload(new Dictionary<string, string> { ["work_mem"] = "54321kB" });

        Assert.That(() => MiniClient.Ask(server, "SHOW work_mem"), Is.EqualTo("54321kB").After(10_000, 20)); // the server reads it when it gets to it
    }

    [Test]
    public async Task A_disposed_server_stays_disposed()
    {
        var server = Servers.Start();
        server.Dispose();
        server.Dispose();
        await server.DisposeAsync();

        Assert.That(() => server.Restart(), Throws.InstanceOf<ObjectDisposedException>());
        Assert.That(() => server.Reload(), Throws.InstanceOf<ObjectDisposedException>());
        Assert.That(server.KillAsync, Throws.InstanceOf<ObjectDisposedException>());
    }

    [Test]
    public async Task Servers_that_start_at_once_share_one_template_and_nothing_else()
    {
        using var cache = new EmptyCache();
        var options = new PgEmbeddedServerOptions { CacheDirectory = cache.Path, BinaryDirectory = Servers.Binaries };

        var servers = await Task.WhenAll(PgEmbeddedServer.StartAsync(options), PgEmbeddedServer.StartAsync(options), PgEmbeddedServer.StartAsync(options));

        MiniClient.Ask(servers[0], "CREATE TABLE mine ()");
        Assert.That(MiniClient.Ask(servers[1], "SELECT to_regclass('mine') IS NULL"), Is.EqualTo("t"));
        Assert.That(servers.Select(server => server.Port), Is.Unique);
        Assert.That(cache.Templates, Has.Length.EqualTo(1));
        foreach (var server in servers)
            await server.DisposeAsync();
        Assert.That(cache.Workspaces, Is.Empty);
    }

    [Test]
    public void A_start_that_is_cancelled_leaves_nothing_behind()
    {
        using var cache = new EmptyCache();
        using var cancellation = new CancellationTokenSource();
        var options = new PgEmbeddedServerOptions
        {
            CacheDirectory = cache.Path,
            BinaryDirectory = Servers.Binaries,
            Log = _ => cancellation.Cancel(), // the first step that is logged is initdb
        };

        Assert.That(() => PgEmbeddedServer.StartAsync(options, cancellation.Token), Throws.InstanceOf<OperationCanceledException>());

        Assert.That(cache.Workspaces, Is.Empty);
        Assert.That(cache.Templates, Is.Empty);
    }

    // Commits are not flushed one by one here, so a crash could lose the last ones; a checkpoint flushes them all.
    private static void Keep42(PgEmbeddedServer server)
    {
        MiniClient.Ask(server, "CREATE TABLE kept AS SELECT 42 AS answer");
        MiniClient.Ask(server, "CHECKPOINT");
    }
}
