using System.Globalization;

namespace Loxo.IntegrationTests.Poolers;

/// <summary>A test with an open connection to the pooler, in one of the two wait modes.</summary>
public abstract class PoolerTest(WaitMode mode, string database, Pooler pooler) : DatabaseTest(mode)
{
    // Set by pgbouncer itself to what each client wants.
    private const string Tracked = "'application_name', 'client_encoding', 'DateStyle', 'TimeZone', 'standard_conforming_strings'";

    /// <summary>Without a pool of ours, each connection is one of the pooler's clients.</summary>
    protected override string ConnectionString => $"{PgBouncer.Shared.ConnectionString(database)};Pooler={pooler};Pooling=false";

    /// <summary>Here and not with the first connection, so that without a pooler the whole fixture is ignored.</summary>
    [OneTimeSetUp]
    public void FindPooler() => _ = PgBouncer.Shared;

    /// <summary>The server processes, all at once: each in an open transaction, so that nobody else meets it meanwhile.</summary>
    private protected async Task<List<HeldServer>> HoldAll()
    {
        var held = new List<HeldServer>();
        for (var i = 0; i < PgBouncer.Servers; i++)
            held.Add(await HeldServer.Hold($"{PgBouncer.Shared.ConnectionString(database)};Pooler=Transaction;Pooling=false"));
        return held;
    }

    /// <summary>Keeps that server process busy, so that the next transaction meets another.</summary>
    private protected async Task<HeldServer> Hold(int processId)
    {
        var held = await HoldAll();
        var wanted = held.Find(server => server.ProcessId == processId)
            ?? throw new AssertionException($"No server process of the pooler has the id {processId}.");
        held.Remove(wanted);
        await Release(held);
        return wanted;
    }

    /// <summary>Makes sure that there are several, since the pooler starts them only when needed.</summary>
    private protected async Task StartAll() => await Release(await HoldAll());

    private protected static async Task Release(List<HeldServer> held)
    {
        foreach (var server in held)
            await server.DisposeAsync();
    }

    /// <summary>What was left in the server processes, each as a text.</summary>
    private protected async Task<List<string>> Leftovers()
    {
        var held = await HoldAll();
        var found = new List<string>();
        foreach (var server in held)
        {
            await using var command = new PgCommand($"""
                SELECT 'statement ' || statement FROM pg_prepared_statements
                UNION ALL SELECT 'setting ' || name || ' = ' || setting FROM pg_settings WHERE source = 'session' AND name NOT IN ({Tracked}) AND name NOT LIKE 'transaction\_%'
                UNION ALL SELECT 'cursor ' || name FROM pg_cursors WHERE is_holdable
                UNION ALL SELECT 'channel ' || channel FROM pg_listening_channels() AS channel
                UNION ALL SELECT 'lock ' || objid FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()
                UNION ALL SELECT 'table ' || relname FROM pg_class WHERE relnamespace = pg_my_temp_schema()
                """, server.Connection);
            await using var reader = await command.ExecuteReaderAsync();
            while (await reader.ReadAsync())
                found.Add(reader.GetString(0));
        }
        await Release(held);
        return found;
    }

    /// <summary>Runs on threads or tasks of their own, all at once.</summary>
    private protected Task Together(int count, Func<int, Task> work) => Task.WhenAll(Enumerable.Range(0, count).Select(number => Mode == WaitMode.Async
        ? work(number)
        : Task.Factory.StartNew(() => work(number), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap()));

    private protected async Task<PgTransaction> Begin() =>
        await Mode.Run(() => Connection.BeginTransaction(), async () => await Connection.BeginTransactionAsync());

    private protected static string Text(int number) => "text " + number.ToString(CultureInfo.InvariantCulture);
}
