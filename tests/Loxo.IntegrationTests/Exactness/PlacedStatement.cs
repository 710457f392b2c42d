namespace Loxo.IntegrationTests.Exactness;

/// <summary>One statement in its place among others: a command or a batch, made for one <see cref="Way"/>.</summary>
internal sealed class PlacedStatement : IAsyncDisposable
{
    private const string Neighbour = "SELECT proof_neighbour()";

    private readonly PgCommand? _command;
    private readonly PgBatch? _batch;
    private readonly Way _way;
    private readonly Executor _executor;

    public PlacedStatement(PgConnection connection, Reach reach, Way way, Executor executor, string tag)
    {
        _way = way;
        _executor = executor;
        var texts = Enumerable.Repeat(Neighbour, way.Before).Append($"{reach.Text} /* {tag} */").Concat(Enumerable.Repeat(Neighbour, way.Behind)).ToArray();
        var autoPrepare = way.Use != Use.LaterUnprepared;
        if (way.IsBatch)
        {
            _batch = new PgBatch(connection) { EnableErrorBarriers = way.HasBarriers };
            foreach (var text in texts)
                _batch.BatchCommands.Add(new PgBatchCommand(text) { AutoPrepare = autoPrepare && text != Neighbour });
            reach.AddParameter(_batch.BatchCommands[way.Before].Parameters);
        }
        else
        {
            _command = new PgCommand(string.Join("; ", texts), connection) { AutoPrepare = autoPrepare };
            reach.AddParameter(_command.Parameters);
        }
    }

    /// <summary>Brings the text to the state that the way asks for, while it does not raise.</summary>
    public async Task WarmUp()
    {
        if (_way.Use == Use.Prepared)
            await (_batch is null ? _executor.Prepare(_command!) : _executor.Prepare(_batch));
        var runs = _way.Use switch { Use.LaterUnprepared => 2, Use.Second => 1, Use.AutoPrepared => 3, _ => 0 };
        for (var i = 0; i < runs; i++)
            await Run();
    }

    public Task<object?> Run() => _batch is null ? _executor.Run(_command!, _way.Call) : _executor.Run(_batch, _way.Call);

    public async ValueTask DisposeAsync()
    {
        if (_command is not null)
            await _command.DisposeAsync();
        if (_batch is not null)
            await _batch.DisposeAsync();
    }
}
