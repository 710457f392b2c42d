using Loxo.Transport;

namespace Loxo.IntegrationTests.Exactness;

/// <summary>
/// After a COPY that was run as an ordinary command, whatever the server says to it and whenever, everybody still gets the results of their
/// own statements, on the same connection and on the next one rented.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public class CopyErrorTests(WaitMode mode)
{
    private readonly Executor _executor = new(mode);
    private readonly List<PgDataSource> _sources = [];
    private string _database = "";
    private int _token;

    private static IEnumerable<CopyStatement> Statements => CopyStatement.All;

    private string ConnectionString => new PgConnectionStringBuilder(TestServer.Default.ConnectionString)
    {
        Database = _database,
        MaxPoolSize = 1,
        CommandTimeout = 300,
        Timeout = 300,
    }.ConnectionString;

    [OneTimeSetUp]
    public async Task CreateDatabase()
    {
        _database = $"copy_{Environment.ProcessId}_{mode}".ToLowerInvariant();
        await Aside(TestServer.Default.ConnectionString, $"CREATE DATABASE {_database}");
        await Aside(ConnectionString, CopyStatement.Schema);
        await Aside(ConnectionString, CopyStatement.Forge(await CopyFail()));
        await DisposeSources();
    }

    [OneTimeTearDown]
    public Task DropDatabase() => Aside(TestServer.Default.ConnectionString, $"DROP DATABASE {_database} WITH (FORCE)");

    [TearDown]
    public async Task DisposeSources()
    {
        foreach (var source in _sources)
            await source.DisposeAsync();
        _sources.Clear();
    }

    [TestCaseSource(nameof(Statements))]
    public Task Nobody_gets_a_result_of_anybody_else(CopyStatement statement) => RunAll(statement, Sample(statement, 40));

    [TestCaseSource(nameof(Statements)), Category("Long")]
    public async Task Nobody_gets_a_result_of_anybody_else_in_any_way(CopyStatement statement)
    {
        using var run = LongRun.Begin("failing copies", cases: 2 * CopyStatement.All.Count());
        await RunAll(statement, run.Of(Ways, "ways"));
    }

    private static IEnumerable<Way> Ways => Way.All.Where(way => way.Use is Use.First or Use.LaterUnprepared or Use.Prepared);

    // The plain case first; the others by chance, the same in every run.
    private static IEnumerable<Way> Sample(CopyStatement statement, int count)
    {
        var random = new Random(statement.Text.Length);
        Way[] ways = [.. Ways];
        return ways.Where(way => way is { Place: Place.Alone, Use: Use.First, Call: not Call.Scalar })
            .Concat(Enumerable.Range(0, count).Select(_ => ways[random.Next(ways.Length)]));
    }

    private async Task RunAll(CopyStatement statement, IEnumerable<Way> ways)
    {
        var (source, dialer) = Source(statement.User);
        var failures = new List<string>();
        var runs = 0;
        foreach (var way in ways)
        {
            runs++;
            if (await Failure(source, dialer, statement, way) is not { } failure)
                continue;
            failures.Add($"{way}: {failure}");
            (source, dialer) = Source(statement.User);
        }
        ProofTest.AssertNone(failures, runs);
    }

    // Null if all is well.
    private async Task<string?> Failure(PgDataSource source, CountingDialer dialer, CopyStatement statement, Way way)
    {
        string? failure;
        await using (var connection = await Rent(source))
        {
            var error = await RunIn(connection, statement, way);
            failure = Judge(statement, way, error) ?? await AfterIt(connection, "the caller");
            if (failure is null && IsRefusedBefore(way) && connection.State != System.Data.ConnectionState.Open)
                failure = "the connection was lost though nothing was sent";
        }
        if (failure is not null)
            return failure;
        await using var next = await Rent(source);
        return await AfterIt(next, "the next renter") ?? Balance(dialer, next);
    }

    // What the COPY ended with.
    private async Task<Exception?> RunIn(PgConnection connection, CopyStatement statement, Way way)
    {
        PgTransaction? transaction = null;
        if (way.Within != Within.Autocommit)
            transaction = await mode.Run(() => connection.BeginTransaction(), async () => await connection.BeginTransactionAsync());
        if (way.Within == Within.OpenTransaction)
            await Value(connection, "SELECT 1");
        var error = await ProofTest.Outcome(() => Run(connection, statement, way));
        if (way.Use == Use.LaterUnprepared && connection.State == System.Data.ConnectionState.Open && transaction is null)
            error = await ProofTest.Outcome(() => Run(connection, statement, way));
        if (transaction is not null)
            await ProofTest.Outcome(() => mode.Run(transaction.Dispose, async () => await transaction.DisposeAsync()));
        return error;
    }

    private async Task Run(PgConnection connection, CopyStatement statement, Way way)
    {
        string[] texts = [.. Enumerable.Repeat("SELECT 'neighbour'", way.Before), statement.Text, .. Enumerable.Repeat("SELECT 'neighbour'", way.Behind)];
        if (way.IsBatch)
        {
            await using var batch = new PgBatch(connection) { EnableErrorBarriers = way.HasBarriers };
            foreach (var text in texts)
                batch.BatchCommands.Add(new PgBatchCommand(text));
            if (way.Use == Use.Prepared)
                await _executor.Prepare(batch);
            await _executor.Run(batch, way.Call);
            return;
        }
        await using var command = new PgCommand(string.Join("; ", texts), connection);
        if (way.Use == Use.Prepared)
            await _executor.Prepare(command);
        await _executor.Run(command, way.Call);
    }

    // Among other statements, and in a batch, the driver sends nothing.
    private static bool IsRefusedBefore(Way way) => way.IsBatch || way.Before + way.Behind > 0;

    private static string? Judge(CopyStatement statement, Way way, Exception? error) => ProofTest.First(error) switch
    {
        null => "there was no error",
        PgException { Code: PgErrorCode.NotSupported } when IsRefusedBefore(way) => null,
        var other when IsRefusedBefore(way) => $"the error was {other.GetType().Name}: {other.Message}",
        PostgresException own when statement.SqlState is not null && own.SqlState != statement.SqlState => $"the error was {own.Message}",
        PostgresException => null,
        var other => $"the error was {other.GetType().Name}: {other.Message}",
    };

    // A connection that is closed says so; one that is open gives each statement its own result.
    private async Task<string?> AfterIt(PgConnection connection, string who)
    {
        for (var i = 0; i < 3; i++)
        {
            if (connection.State != System.Data.ConnectionState.Open)
                return who == "the caller" ? null : "the next renter got a closed connection";
            var expected = $"token {++_token}";
            object? value;
            try
            {
                value = await Value(connection, i == 1 ? "SELECT $1::text" : $"SELECT '{expected}'", i == 1 ? expected : null);
            }
            catch (Exception error)
            {
                return $"{who} got {error.Message}";
            }
            if (!Equals(value, expected))
                return $"{who} asked for {expected} and got {value ?? "null"}";
        }
        return null;
    }

    private static string? Balance(CountingDialer dialer, PgConnection connection)
    {
        if (connection.Session!.Wire.Channel is not CountingChannel { Count: var count } || dialer.Channels.IsEmpty)
            return "nothing was counted";
        return count switch
        {
            { Due: not "" } => $"after the answer to the last statement '{count.Due}' are still due",
            { IsUncertain: true } => "the session was kept though nobody could know how many ReadyForQuery were due",
            { Surplus: { } surplus } => surplus,
            _ => null,
        };
    }

    // The words with which the driver ends a COPY, as it sends them; others if it does not.
    private async Task<string> CopyFail()
    {
        var (source, dialer) = Source(null);
        await using var connection = await Rent(source);
        await ProofTest.Outcome(() => Value(connection, "COPY c_plain FROM STDIN"));
        return dialer.Channels.Select(channel => channel.Count.CopyFail).FirstOrDefault(text => text is not null) ?? "no data";
    }

    private (PgDataSource Source, CountingDialer Dialer) Source(string? user)
    {
        var builder = new PgConnectionStringBuilder(ConnectionString);
        if (user is not null)
            builder.Username = user;
        var dialer = new CountingDialer(new SocketDialer(TimeProvider.System));
        var source = new PgDataSource(new PgDataSourceBuilder(builder.ConnectionString).Build().Settings, dialer: dialer);
        _sources.Add(source);
        return (source, dialer);
    }

    private Task<PgConnection> Rent(PgDataSource source) => mode.Run(source.OpenConnection, () => source.OpenConnectionAsync().AsTask());

    private async Task<object?> Value(PgConnection connection, string sql, object? parameter = null)
    {
        await using var command = new PgCommand(sql, connection);
        if (parameter is not null)
            command.Parameters.Add(new PgParameter(null, parameter));
        return await mode.ExecuteScalar(command);
    }

    private static async Task Aside(string connectionString, string sql)
    {
        await using var connection = new PgConnection(connectionString + ";Pooling=false");
        await connection.OpenAsync();
        await using var command = new PgCommand(sql, connection);
        await command.ExecuteNonQueryAsync();
    }
}
