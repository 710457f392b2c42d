using System.Collections.Concurrent;
using System.Diagnostics;

namespace Loxo.IntegrationTests.Hosts;

/// <summary>Callers that each insert one number after the other. A number whose outcome is unknown is inserted again, unless it is there.</summary>
internal sealed class Writing : IAsyncDisposable
{
    /// <summary>Makes the table that is written to.</summary>
    public const string Table = "CREATE TABLE item (id int PRIMARY KEY)";

    /// <summary>All rows that have been written.</summary>
    public const string AllRows = "SELECT array_agg(id ORDER BY id) FROM item";

    private const int Writers = 4;

    // Only a hang should ever meet it.
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(4);

    private readonly PgMultiHostDataSource _source;
    private readonly WaitMode _mode;
    private readonly ConcurrentQueue<(int Id, long At)> _acknowledged = [];
    private readonly ConcurrentQueue<int> _tried = [];
    private readonly List<Thread> _threads = [];
    private readonly TaskCompletionSource _failed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private volatile bool _stops;
    private int _next;

    public Writing(PgMultiHostDataSource source, WaitMode mode)
    {
        (_source, _mode) = (source, mode);
        for (var i = 0; i < Writers; i++)
        {
            var thread = new Thread(() => Write().GetAwaiter().GetResult()) { IsBackground = true, Name = "Writer" };
            _threads.Add(thread);
            thread.Start();
        }
    }

    public IEnumerable<int> Acknowledged => _acknowledged.Select(one => one.Id);

    public IEnumerable<int> Tried => _tried;

    public ConcurrentQueue<int> Doubled { get; } = [];

    public async Task AwaitRows(int count)
    {
        var end = _acknowledged.Count + count;
        for (var waited = Stopwatch.StartNew(); _acknowledged.Count < end; await Task.Delay(10))
        {
            if (_failed.Task.IsFaulted)
                await _failed.Task;
            Assert.That(waited.Elapsed, Is.LessThan(Patience), "no row is written any more");
        }
    }

    public TimeSpan FirstAfter(long moment) => Stopwatch.GetElapsedTime(moment, _acknowledged.Select(one => one.At).Where(at => at > moment).Min());

    /// <summary>Fails unless the table has each row that was acknowledged, once.</summary>
    public void AssertNothingLostOrDoubled(int[] rows)
    {
        Assert.That(rows, Is.Unique);
        Assert.That(Acknowledged.Except(rows), Is.Empty, "acknowledged and lost");
        Assert.That(rows.Except(Tried), Is.Empty);
        Assert.That(Doubled, Is.Empty);
    }

    public async Task StopAsync()
    {
        _stops = true;
        await Task.Run(() => _threads.ForEach(thread => thread.Join()));
        if (_failed.Task.IsFaulted)
            await _failed.Task;
    }

    public async ValueTask DisposeAsync()
    {
        _stops = true;
        await Task.Run(() => _threads.ForEach(thread => thread.Join(Patience)));
    }

    private async Task Write()
    {
        try
        {
            while (!_stops)
                await Insert(Interlocked.Increment(ref _next));
        }
        catch (Exception e)
        {
            _failed.TrySetException(e);
        }
    }

    private async Task Insert(int id)
    {
        _tried.Enqueue(id);
        for (var attempt = 0; ; attempt++)
        {
            try
            {
                await using var connection = _source.CreateConnection();
                await _mode.Open(connection);
                await using var command = new PgCommand("INSERT INTO item VALUES ($1)" + (attempt == 0 ? "" : " ON CONFLICT DO NOTHING"), connection);
                command.Parameters.Add(new PgParameter<int> { TypedValue = id });
                await _mode.ExecuteNonQuery(command);
                _acknowledged.Enqueue((id, Stopwatch.GetTimestamp()));
                return;
            }
            catch (PostgresException e) when (e.SqlState == PostgresErrorCodes.UniqueViolation)
            {
                Doubled.Enqueue(id);
                return;
            }
            catch (PgException e) when (!_stops && (e.IsTransient || e.SqlState is "25006" or "57P01" or "57P02"))
            {
                await Task.Delay(20);
            }
            catch (PgException) when (_stops)
            {
                return;
            }
        }
    }
}
