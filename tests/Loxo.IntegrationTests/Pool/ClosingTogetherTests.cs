using System.Reflection;
using Loxo.Pooling;
using Loxo.Session;

namespace Loxo.IntegrationTests.Pool;

/// <summary>
/// The end of a rental, reached by several threads at once or too late: the session goes back once, and its next renter notices nothing.
/// </summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
[Category("Slow"), Category("OneServer")]
public class ClosingTogetherTests(WaitMode mode)
{
    private const int Rounds = 1500;

    private PgDataSource _source = null!;

    /// <summary>What may end a rental.</summary>
    public enum End
    {
        Connection,
        Reader,
        ConnectionDispose,
        ReaderThatClosesItsConnection,
    }

    [SetUp]
    public void MakePool() => _source = PgDataSource.Create(TestServer.Default.ConnectionString + ";Maximum Pool Size=2;Timeout=60");

    [TearDown]
    public async Task DisposePool() => await _source.DisposeAsync();

    [TestCase(End.Connection, End.Connection)]
    [TestCase(End.Connection, End.Reader)]
    [TestCase(End.ConnectionDispose, End.Reader)]
    [TestCase(End.ConnectionDispose, End.Connection)]
    [TestCase(End.Connection, End.ReaderThatClosesItsConnection)]
    [TestCase(End.Reader, End.Reader)]
    public async Task Threads_that_close_at_once_touch_nobody_else(End one, End other)
    {
        using var over = new CancellationTokenSource();
        var renter = Task.Run(() => RentAndCheck(over.Token));
        for (var round = 0; round < Rounds && !renter.IsCompleted; round++)
        {
            var connection = await _source.OpenConnectionAsync();
            var behavior = other == End.ReaderThatClosesItsConnection ? System.Data.CommandBehavior.CloseConnection : System.Data.CommandBehavior.Default;
            await using var command = new PgCommand($"SELECT -1 FROM generate_series(1, {round % 3000})", connection);
            var reader = await command.ExecuteReaderAsync(behavior);
            using var together = new Barrier(2);
            await Task.WhenAll(Task.Run(() => Close(one, connection, reader, together)), Task.Run(() => Close(other, connection, reader, together)));
            await connection.CloseAsync();
        }
        await over.CancelAsync();

        Assert.That(await renter, Is.Positive, "the renter has worked meanwhile");
        var statistics = _source.Pool!.GetStatistics();
        Assert.That(statistics.Busy, Is.Zero, "all that was rented has been given back");
        Assert.That(statistics.Total, Is.EqualTo(statistics.Idle), "nothing was given back twice");
    }

    [Test]
    public async Task A_connection_whose_session_was_taken_away_leaves_it_to_the_next_renter([Values] bool hasReader)
    {
        var late = await _source.OpenConnectionAsync();
        await using var command = new PgCommand("SELECT 1 FROM generate_series(1, 10000)", late);
        var reader = hasReader ? await command.ExecuteReaderAsync() : null;
        if (reader is not null)
            late.Session!.Command.Query.SkipResults = true;
        // As the pool does with the session of a connection that was collected; a finalizer may still have it.
        TakeAway(late);

        await using var next = await _source.OpenConnectionAsync();
        await using var query = new PgCommand("SELECT i FROM generate_series(1, 10000) i", next);
        await using var rows = await query.ExecuteReaderAsync();
        Assert.That(await rows.ReadAsync(), Is.True);
        await mode.Close(late);

        var count = 1;
        while (await rows.ReadAsync())
            Assert.That(rows.GetInt32(0), Is.EqualTo(++count));
        Assert.That(count, Is.EqualTo(10000));
    }

    private static void TakeAway(PgConnection connection)
    {
        var rental = Rented.By(connection);
        if (SessionDrain.SkipRest(rental.Resource.Session))
            rental.Resource.Session.End();
        var source = (PgDataSource)typeof(PgConnection).GetField("_dataSource", BindingFlags.NonPublic | BindingFlags.Instance)!.GetValue(connection)!;
        source.Pool!.Return(rental);
    }

    private async Task Close(End end, PgConnection connection, PgDataReader reader, Barrier together)
    {
        together.SignalAndWait();
        try
        {
            await (end switch
            {
                End.Connection => mode.Close(connection),
                End.ConnectionDispose => mode.Dispose(connection),
                _ => mode.Close(reader),
            });
        }
        catch (Exception error) when (error is PgException or InvalidOperationException)
        {
            // The reader that was closed under its thread's feet may say so.
        }
    }

    // Somebody else, who must not notice anything.
    private async Task<int> RentAndCheck(CancellationToken over)
    {
        var work = 0;
        for (; !over.IsCancellationRequested; work++)
        {
            await using var connection = await _source.OpenConnectionAsync(CancellationToken.None);
            await using var command = new PgCommand($"SELECT i + {work} FROM generate_series(1, 100) i", connection);
            await using var reader = await mode.ExecuteReader(command, token: CancellationToken.None);
            var count = 0;
            while (await mode.Read(reader, CancellationToken.None))
                Assert.That(reader.GetInt32(0), Is.EqualTo(++count + work));
            Assert.That(count, Is.EqualTo(100));
        }
        return work;
    }
}
