using Loxo.IntegrationTests.Poolers;

namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>A test with a data source whose commands share lanes, once the pool has looked through the database.</summary>
public abstract class LaneTest(WaitMode mode) : DatabaseTest(mode)
{
    protected PgDataSource Source { get; private set; } = null!;

    /// <summary>Where the lanes lead.</summary>
    protected virtual string Lanes => PoolerOfTheRun.ConnectionString;

    [SetUp]
    public async Task OpenLanes()
    {
        Source = PgDataSource.Create(Lanes + ";Multiplexing=true;Session Reset=Auto;Application Name=lanes");
        await AwaitLane(Source);
    }

    [TearDown]
    public ValueTask CloseLanes() => Source.DisposeAsync();

    /// <summary>Until the pool has looked through the database, there is none.</summary>
    protected async Task AwaitLane(PgDataSource source)
    {
        for (var end = DateTime.UtcNow.AddMinutes(1); source.Lanes!.Count == 0;)
        {
            Assert.That(DateTime.UtcNow, Is.LessThan(end), "No lane has been opened.");
            await Run(source, "SELECT 1");
            await Task.Delay(10);
        }
    }

    /// <summary>Runs a statement by the data source.</summary>
    protected Task<object?> Run(string sql, params object[] values) => Run(Source, sql, values);

    /// <inheritdoc cref="Run(string, object[])"/>
    protected async Task<object?> Run(PgDataSource source, string sql, params object[] values)
    {
        await using var command = source.CreateCommand(sql);
        foreach (var value in values)
            command.Parameters.Add(new PgParameter { Value = value });
        return await Mode.ExecuteScalar(command);
    }

    /// <summary>Waits for something that a lane does by itself.</summary>
    protected static async Task Until(Func<bool> isSo)
    {
        for (var end = DateTime.UtcNow.AddMinutes(1); !isSo();)
        {
            Assert.That(DateTime.UtcNow, Is.LessThan(end), "The lane has not done it.");
            await Task.Delay(50);
        }
    }

    /// <summary>As a caller of its own: on a thread of its own if it blocks.</summary>
    protected Task<T> Call<T>(Func<Task<T>> call) => Mode == WaitMode.Async
        ? Task.Run(call)
        : Task.Factory.StartNew(call, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap();
}
