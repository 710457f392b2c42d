namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>A lookup by a command of the data source, without a connection object: the driver chooses the connection.</summary>
/// <param name="source">The data source; it is disposed with the peer.</param>
/// <param name="isNew">Whether each lookup has a new command, or each caller uses its own again.</param>
internal sealed class LoxoSourceCommands(PgDataSource source, bool isNew) : IPeer
{
    private readonly string _sql = TestData.Sql(Workload.Lookup);

    public long Run(int times) => throw new NotSupportedException("Commands of the data source are awaited.");

    public async Task<long> RunAsync(int times)
    {
        long sum = 0;
        var command = Command(out var key);
        for (var i = 0; i < times; i++)
        {
            if (isNew && i > 0)
                command = Command(out key);
            key.TypedValue = TestData.Key(i, Workload.Lookup);
            await using (var reader = await command.ExecuteReaderAsync())
            {
                while (await reader.ReadAsync())
                    sum += reader.GetInt32(0) + reader.GetInt64(1);
            }
            if (isNew)
                await command.DisposeAsync();
        }
        return sum;
    }

    public void Dispose() => source.Dispose();

    private PgCommand Command(out PgParameter<int> key)
    {
        var command = source.CreateCommand(_sql);
        command.Parameters.Add(key = new PgParameter<int>());
        return command;
    }
}
