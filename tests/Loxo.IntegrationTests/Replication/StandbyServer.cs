using System.Diagnostics;
using Loxo.Embedded;

namespace Loxo.IntegrationTests.Replication;

/// <summary>
/// A hot standby of a server. With PostgreSQL 17 or later the server's failover slots are synchronized to it, and logical replication on the
/// primary waits for it, so that no reader is ahead of the standby.
/// </summary>
internal sealed class StandbyServer : IAsyncDisposable
{
    private readonly PgEmbeddedServer _server;

    private StandbyServer(PgEmbeddedServer server) => _server = server;

    public string ConnectionString => _server.ConnectionString;

    public int Port => _server.Port;

    public PgEmbeddedServer Server => _server;

    private static bool KeepsSlots => TestServer.Version >= 17;

    /// <summary>Makes a standby of <paramref name="primary"/>, which is restarted for it.</summary>
    /// <param name="primary">The server.</param>
    /// <param name="name">The standby's name, for synchronous replication, and that of its slot.</param>
    /// <param name="keepsSlots">Whether the failover slots of the primary come to it, where the server can do that.</param>
    public static async Task<StandbyServer> StartAsync(PgEmbeddedServer primary, string name = "standby", bool keepsSlots = true)
    {
        var options = TestServer.Options();
        // Without effect until there is a standby.signal.
        options.Settings["primary_conninfo"] = Follows(primary.Port, name);
        options.Settings["primary_slot_name"] = name;
        options.Settings["hot_standby_feedback"] = "on";
        if (KeepsSlots && keepsSlots)
            options.Settings["sync_replication_slots"] = "on";
        var standby = new StandbyServer(await PgEmbeddedServer.StartAsync(options));
        try
        {
            await AskAsync(primary.ConnectionString, $"SELECT pg_create_physical_replication_slot('{name}', true)");
            await standby._server.StopAsync();
            await primary.StopAsync();
            await CopyAsync(primary.DataDirectory, standby._server.DataDirectory);
            await primary.RestartAsync();
            if (KeepsSlots && keepsSlots)
                await primary.ReloadAsync(new Dictionary<string, string> { ["synchronized_standby_slots"] = name });
            await standby._server.RestartAsync();
            return standby;
        }
        catch
        {
            await standby.DisposeAsync();
            throw;
        }
    }

    /// <summary>Makes it a primary, and waits until it is one.</summary>
    public async Task PromoteAsync() => Assert.That(await AskAsync(ConnectionString, "SELECT pg_promote()"), Is.True);

    /// <summary>Whether the slots go on to be synchronized.</summary>
    public Task SynchronizeAsync(bool goesOn) =>
        _server.ReloadAsync(new Dictionary<string, string> { ["sync_replication_slots"] = goesOn ? "on" : "off" });

    /// <summary>Follows another primary.</summary>
    public Task FollowAsync(int port, string name) => _server.ReloadAsync(
        new Dictionary<string, string> { ["primary_conninfo"] = Follows(port, name), ["primary_slot_name"] = "" });

    /// <summary>Lets nothing of the primary come any more.</summary>
    public Task CutOffAsync() => _server.ReloadAsync(new Dictionary<string, string> { ["primary_conninfo"] = "" });

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    private static string Follows(int port, string name) => $"host=127.0.0.1 port={port} user=postgres dbname=postgres application_name={name}";

    // The packages of servers that the tests fetch have no pg_basebackup. A copy of a server that was shut down is as good.
    internal static async Task CopyAsync(string from, string to)
    {
        var settings = Path.Combine(to, "postgresql.conf");
        var ownSettings = await File.ReadAllTextAsync(settings);
        foreach (var directory in Directory.GetDirectories(to))
            Directory.Delete(directory, recursive: true);
        // It keeps the owner: where the tests run as root, the server does not.
        using (var copy = Process.Start("cp", ["-a", from + "/.", to]))
        {
            await copy.WaitForExitAsync();
            Assert.That(copy.ExitCode, Is.Zero);
        }
        await File.WriteAllTextAsync(settings, ownSettings);
        foreach (var slot in Directory.GetDirectories(Path.Combine(to, "pg_replslot")))
            Directory.Delete(slot, recursive: true);
        var signal = Path.Combine(to, "standby.signal");
        await File.WriteAllTextAsync(signal, "");
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(signal, (UnixFileMode)0b110_110_110); // the server opens it to write
    }

    private static async Task<object?> AskAsync(string server, string sql)
    {
        await using var connection = new PgConnection(server + ";Pooling=false;Timeout=120");
        await connection.OpenAsync();
        await using var command = new PgCommand(sql, connection);
        return await command.ExecuteScalarAsync();
    }
}
