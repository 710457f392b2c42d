using Npgsql;

namespace Loxo.IntegrationTests.Differential;

/// <summary>Both drivers, each with a database of its own that is in the same state before each program.</summary>
internal sealed class DriverPair(WaitMode mode) : IAsyncDisposable
{
    private static readonly Driver[] Drivers = [Driver.Npgsql, Driver.Loxo];

    private readonly Dictionary<Driver, string> _connectionStrings = [];
    private readonly Dictionary<Driver, NpgsqlConnection> _controls = [];

    public async Task SetUp()
    {
        foreach (var driver in Drivers)
        {
            var name = $"differential_{driver}_{mode}_{Environment.ProcessId}".ToLowerInvariant();
            await Administer($"CREATE DATABASE {name}");
            var builder = new NpgsqlConnectionStringBuilder(TestServer.Default.ConnectionString) { Database = name };
            _connectionStrings[driver] = builder.ConnectionString;
            builder.Pooling = false;
            var control = _controls[driver] = new NpgsqlConnection(builder.ConnectionString);
            await control.OpenAsync();
            await Run(control, StatementGrammar.Types);
            await Run(control, StatementGrammar.Tables);
        }
    }

    /// <summary>Runs a program on both drivers; returns what is unexplained.</summary>
    public async Task<IReadOnlyList<Difference>> Run(GeneratedProgram program, ICollection<IntendedDifference> used)
    {
        var npgsql = await Run(Driver.Npgsql, program);
        var loxo = await Run(Driver.Loxo, program);
        return Comparison.Compare(npgsql, loxo, used);
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

    private async Task<IReadOnlyList<Observation>> Run(Driver driver, GeneratedProgram program)
    {
        var control = _controls[driver];
        await using var machine = new Machine(driver, mode, _connectionStrings[driver] + ";" + program.Keywords, () => Sleeping(control));
        foreach (var step in program.Steps)
            await machine.Run(step);
        await machine.Finish();
        var end = new Observation(null, await Contents(control), []);
        await Run(control, program.ChangesTables ? StatementGrammar.Tables : StatementGrammar.Rows);
        return [.. machine.Observations, end];
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

    private static async Task Sleeping(NpgsqlConnection control)
    {
        await using var command = new NpgsqlCommand(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'", control);
        while ((long)(await command.ExecuteScalarAsync())! == 0)
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
