using System.Collections.Concurrent;
using Npgsql;

namespace Loxo.IntegrationTests.Differential;

/// <summary>Both drivers, each with a database of its own that is in the same state before each program.</summary>
internal sealed class DriverPair(WaitMode mode) : IAsyncDisposable
{
    private static readonly Driver[] Drivers = [Driver.Npgsql, Driver.Loxo];

    private static int _pairs;

    // Npgsql remembers the types of a database by its name.
    private readonly int _number = Interlocked.Increment(ref _pairs);
    private readonly Dictionary<Driver, string> _connectionStrings = [];
    private readonly Dictionary<Driver, NpgsqlConnection> _controls = [];

    /// <summary>Creates both databases.</summary>
    public static async Task<DriverPair> Start(WaitMode mode)
    {
        var pair = new DriverPair(mode);
        await pair.SetUp();
        return pair;
    }

    private async Task SetUp()
    {
        foreach (var driver in Drivers)
        {
            var name = $"differential_{driver}_{mode}_{Environment.ProcessId}_{_number}".ToLowerInvariant();
            await Administer($"CREATE DATABASE {name}");
            // A program may wait on one connection for a lock that it holds on another.
            await Administer($"ALTER DATABASE {name} SET lock_timeout = '3s'");
            var builder = new NpgsqlConnectionStringBuilder(TestServer.Default.ConnectionString) { Database = name };
            _connectionStrings[driver] = builder.ConnectionString;
            builder.Pooling = false;
            var control = _controls[driver] = new NpgsqlConnection(builder.ConnectionString);
            await control.OpenAsync();
            await Run(control, StatementGrammar.Types);
            // A program without pooling shares the types of this data source.
            await control.ReloadTypesAsync();
            await Run(control, StatementGrammar.Tables);
        }
    }

    /// <summary>Runs a program on both drivers; returns what is unexplained.</summary>
    public async Task<IReadOnlyList<Difference>> Run(GeneratedProgram program, IProducerConsumerCollection<IntendedDifference> used)
    {
        var npgsql = await RunWithin(Driver.Npgsql, program);
        var loxo = await RunWithin(Driver.Loxo, program);
        return Comparison.Compare(program.Keywords, npgsql, loxo, used);
    }

    public async ValueTask DisposeAsync()
    {
        NpgsqlConnection.ClearAllPools();
        PgConnection.ClearAllPools();
        foreach (var control in _controls.Values)
        {
            var name = control.Database;
            await control.DisposeAsync();
            await Administer($"DROP DATABASE {name} WITH (FORCE)");
        }
    }

    // Npgsql never returns from some calls: such a program is not compared. A hang of Loxo fails the test, so there it gets more time.
    private static TimeSpan HangLimit(Driver driver) => TimeSpan.FromSeconds(driver == Driver.Npgsql ? 10 : 60);

    private async Task<IReadOnlyList<Observation>> RunWithin(Driver driver, GeneratedProgram program)
    {
        var at = new Position();
        var run = Task.Run(() => Run(driver, program, at));
        if (await Task.WhenAny(run, Task.Delay(HangLimit(driver))) != run)
            throw new HangException(driver, $"{driver} hangs at {at.Step?.Text ?? "the end"}\n{program}");
        return await run;
    }

    private async Task<IReadOnlyList<Observation>> Run(Driver driver, GeneratedProgram program, Position at)
    {
        var control = _controls[driver];
        await using var machine = new Machine(driver, mode, _connectionStrings[driver] + ";" + program.Keywords, stop => Sleeping(control, stop));
        foreach (var step in program.Steps)
        {
            at.Step = step;
            await machine.Run(step);
        }
        at.Step = null;
        await machine.Finish();
        var end = new Observation(null, await Contents(control), []);
        await Run(control, program.ChangesTables ? StatementGrammar.Tables : StatementGrammar.Rows);
        return [.. machine.Observations, end];
    }

    // Where a program is, for the report of a hang.
    private sealed class Position
    {
        public Step? Step { get; set; }
    }

    private static async Task<List<string>> Contents(NpgsqlConnection control)
    {
        var lines = new List<string>();
        try
        {
            await using var command = new NpgsqlCommand(StatementGrammar.Contents, control);
            await using var reader = await command.ExecuteReaderAsync();
            while (await reader.ReadAsync())
                lines.Add($"{reader.GetString(0)} {reader.GetString(1)}");
        }
        catch (PostgresException error)
        {
            lines.Add(error.MessageText);
        }
        return lines;
    }

    private static async Task Sleeping(NpgsqlConnection control, Task running)
    {
        await using var command = new NpgsqlCommand(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'", control);
        while (!running.IsCompleted && (long)(await command.ExecuteScalarAsync())! == 0)
            await Task.Yield();
    }

    private static async Task Administer(string sql)
    {
        await using var connection = new NpgsqlConnection(TestServer.Default.ConnectionString + ";Pooling=false");
        await connection.OpenAsync();
        await Run(connection, sql);
    }

    private static async Task Run(NpgsqlConnection connection, string sql)
    {
        await using var command = new NpgsqlCommand(sql, connection);
        await command.ExecuteNonQueryAsync();
    }
}

/// <summary>Says that a call of a driver does not return.</summary>
internal sealed class HangException(Driver driver, string message) : Exception(message)
{
    public Driver Driver { get; } = driver;
}
