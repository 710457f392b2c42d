namespace Loxo.Dashboard;

/// <summary>A data source that the dashboard shows, with the samples of its recent past.</summary>
/// <param name="dataSource">The data source.</param>
/// <param name="name">Its name on the page.</param>
/// <param name="capacity">The most samples.</param>
internal sealed class DashboardSource(PgDataSource dataSource, string name, int capacity)
{
    private readonly Queue<Sample> _samples = new();

    public PgDataSource DataSource => dataSource;

    public string Name => name;

    /// <summary>The samples, the oldest first.</summary>
    public IReadOnlyCollection<Sample> Samples => _samples;

    /// <summary>Takes a sample; the oldest one gives way to it.</summary>
    public void Take()
    {
        var pool = dataSource.GetPoolStatistics();
        var (calls, errors, time) = (0L, 0L, TimeSpan.Zero);
        if (dataSource.GetStatementStatistics() is { } statements)
        {
            foreach (var one in statements.Statements.Append(statements.Others))
                (calls, errors, time) = (calls + one.Calls, errors + one.Errors, time + one.TotalTime);
        }
        if (_samples.Count == capacity)
            _samples.Dequeue();
        _samples.Enqueue(new Sample(
            Environment.TickCount64, pool?.Idle ?? 0, pool?.Busy ?? 0, pool?.Opening ?? 0, pool?.Waiting ?? 0, calls, errors, time));
    }

    /// <summary>A data source at one moment.</summary>
    /// <param name="Ticks">When, in milliseconds of a clock that nobody sets.</param>
    /// <param name="Idle">Connections that can be rented.</param>
    /// <param name="Busy">Connections in use.</param>
    /// <param name="Opening">Connections being opened.</param>
    /// <param name="Waiting">Callers that wait for a connection.</param>
    /// <param name="Calls">Executions of statements until then.</param>
    /// <param name="Errors">Those that ended with an error.</param>
    /// <param name="Time">The time of all executions.</param>
    internal sealed record Sample(long Ticks, int Idle, int Busy, int Opening, int Waiting, long Calls, long Errors, TimeSpan Time);
}
