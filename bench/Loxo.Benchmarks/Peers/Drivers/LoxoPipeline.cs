namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>Twenty updates in a pipeline, on a connection that stays open; the pipeline is new each time, the command used again.</summary>
internal sealed class LoxoPipeline : IPeer
{
    private readonly PgConnection _connection;
    private readonly PgCommand _update;
    private readonly PgParameter<int> _key = new();
    private readonly PgPipelineResult<int>[] _results = new PgPipelineResult<int>[TestData.Updates];

    public LoxoPipeline(string connectionString)
    {
        _connection = new PgConnection(connectionString);
        _connection.Open();
        _update = new PgCommand(TestData.Update, _connection);
        _update.Parameters.Add(_key);
    }

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            using var pipeline = _connection.CreatePipeline();
            var end = Add(pipeline, i);
            foreach (var result in _results)
                sum += result.GetResult();
            end.Wait();
        }
        return sum;
    }

    public async Task<long> RunAsync(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            await using var pipeline = _connection.CreatePipeline();
            var end = Add(pipeline, i);
            foreach (var result in _results)
                sum += await result.GetResultAsync();
            await end.WaitAsync();
        }
        return sum;
    }

    public void Dispose()
    {
        _connection.Dispose();
        PgConnection.ClearPool(_connection);
    }

    private PgPipelineResult Add(PgPipeline pipeline, int execution)
    {
        for (var n = 0; n < TestData.Updates; n++)
        {
            _key.TypedValue = TestData.Account(execution, n);
            _results[n] = pipeline.AddNonQuery(_update);
        }
        return pipeline.Sync();
    }
}
