using System.Data;
using Loxo.IntegrationTests.Poolers;

namespace Loxo.IntegrationTests.Batches;

/// <summary>Output parameters of the procedures that a batch calls.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class BatchOutputTests(WaitMode mode) : DatabaseTest(mode)
{
    // No other test runs it: through a pooler the server's process is not known.
    private const string Slow = "SELECT pg_sleep(601)";

    [SetUp]
    public Task CreateProcedure() => Execute("""
        CREATE PROCEDURE pg_temp.count_up(INOUT a integer, OUT b text) LANGUAGE plpgsql AS
        $$ BEGIN IF a < 0 THEN RAISE 'negative'; END IF; a := a + 1; b := 'x' || a; END $$
        """);

    [Test]
    public async Task Each_procedure_fills_its_own_parameters()
    {
        await using var batch = Batch(0, 10, 20);
        await Mode.Run(() => batch.ExecuteNonQuery(), () => batch.ExecuteNonQueryAsync());
        Assert.That(Outputs(batch), Is.EqualTo("1 x1, 11 x11, 21 x21"));
        await AssertUsable();
    }

    [Test]
    public async Task A_scalar_is_the_first_value_and_all_procedures_fill_their_parameters()
    {
        await using var batch = Batch(0, 10, 20);
        Assert.That(await Mode.Run(() => batch.ExecuteScalar(), () => batch.ExecuteScalarAsync()), Is.EqualTo(1));
        Assert.That(Outputs(batch), Is.EqualTo("1 x1, 11 x11, 21 x21"));
        await AssertUsable();
    }

    [Test]
    public async Task A_reader_of_a_single_result_has_no_other_and_all_procedures_fill_their_parameters(
        [Values(CommandBehavior.SingleRow, CommandBehavior.SingleResult)] CommandBehavior behavior, [Values] bool goesOn)
    {
        await using var batch = Batch(0, 10, 20);
        await using (var reader = await Mode.Run(() => batch.ExecuteReader(behavior), () => batch.ExecuteReaderAsync(behavior)))
        {
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(reader.GetInt32(0), Is.EqualTo(1));
            if (goesOn)
                Assert.That(await Mode.NextResult(reader), Is.False);
            await Mode.Close(reader);
        }
        Assert.That(Outputs(batch), Is.EqualTo("1 x1, 11 x11, 21 x21"));
        await AssertUsable();
    }

    [Test]
    public async Task An_error_behind_the_first_value_is_thrown()
    {
        await using var batch = Batch(0, -1);
        await Catch<PostgresException>(() => Mode.Run(() => batch.ExecuteScalar(), () => batch.ExecuteScalarAsync()));
        await AssertUsable();
    }

    [Test]
    public async Task A_batch_that_is_cancelled_behind_its_first_result_says_so([Values] bool isScalar)
    {
        await using var batch = Batch(0);
        batch.BatchCommands.Add(new PgBatchCommand(Slow));
        var running = Task.Run(() => isScalar
            ? Mode.Run(() => batch.ExecuteScalar(), () => batch.ExecuteScalarAsync())
            : Mode.Run(() => batch.ExecuteNonQuery(), async () => (object?)await batch.ExecuteNonQueryAsync()));
        await Sleeping();
        batch.Cancel();
        await Catch<OperationCanceledException>(() => running);
        await AssertUsable();
    }

    [Test]
    public async Task A_token_stops_the_batch_behind_its_first_result([Values("nonquery", "scalar", "close")] string call)
    {
        if (Mode == WaitMode.Blocking)
            Assert.Ignore("A token belongs to asynchronous calls.");
        await using var batch = Batch(0);
        // More than the server's output buffer, so that the procedure's row is sent before it waits.
        batch.BatchCommands.Add(new PgBatchCommand("SELECT repeat('x', 1000) FROM generate_series(1, 100)"));
        batch.BatchCommands.Add(new PgBatchCommand(Slow));
        using var cancellation = new CancellationTokenSource();
        Task running = call switch
        {
            "nonquery" => batch.ExecuteNonQueryAsync(cancellation.Token),
            "scalar" => batch.ExecuteScalarAsync(cancellation.Token),
            _ => (await batch.ExecuteReaderAsync(cancellation.Token)).CloseAsync(),
        };
        await Sleeping();
        await cancellation.CancelAsync();
        if (call == "close")
            await running;
        else
            Assert.That((await Catch<OperationCanceledException>(() => running)).CancellationToken, Is.EqualTo(cancellation.Token));
        await AssertUsable();
    }

    [Test]
    public async Task A_reader_that_is_closed_early_fills_them_too()
    {
        await using var batch = Batch(0, 10, 20);
        var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
        await Mode.Close(reader);
        Assert.That(Outputs(batch), Is.EqualTo("1 x1, 11 x11, 21 x21"));
        await AssertUsable();
    }

    [Test]
    public async Task Rows_can_be_read_all_the_same()
    {
        await using var batch = Batch(0, 10);
        batch.BatchCommands.Insert(1, new PgBatchCommand("SELECT generate_series(1, 3)"));
        var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
        var read = new List<object>();
        do
        {
            while (await Mode.Read(reader))
                read.Add(reader.GetValue(0));
            read.Add("end");
        }
        while (await Mode.NextResult(reader));
        await Mode.Close(reader);
        Assert.That(read, Is.EqualTo(new object[] { 1, "end", 1, 2, 3, "end", 11, "end" }));
        Assert.That(batch.BatchCommands[2].Parameters[1].Value, Is.EqualTo("x11"));
    }

    [Test]
    public async Task An_error_leaves_the_connection_usable()
    {
        await using var batch = Batch(0, -1, 20);
        await Catch<PostgresException>(() => Mode.Run(() => batch.ExecuteNonQuery(), () => batch.ExecuteNonQueryAsync()));
        Assert.That(batch.BatchCommands[2].Parameters[1].Value, Is.Null);
        await AssertUsable();
        var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
        await Catch<PostgresException>(() => Mode.Close(reader));
        Assert.That(reader.IsClosed, Is.True);
        await AssertUsable();
    }

    private PgBatch Batch(params int[] inputs)
    {
        var batch = new PgBatch(Connection);
        foreach (var input in inputs)
        {
            var command = new PgBatchCommand(PoolerOfTheRun.Adapt("pg_temp.count_up")) { CommandType = CommandType.StoredProcedure };
            command.Parameters.Add(new PgParameter("a", input) { Direction = ParameterDirection.InputOutput });
            command.Parameters.Add(new PgParameter("b", PgDbType.Text) { Direction = ParameterDirection.Output });
            batch.BatchCommands.Add(command);
        }
        return batch;
    }

    // A cancel request that reaches the server before the command does is ignored.
    private async Task Sleeping()
    {
        await using var other = await OpenAnother();
        await using var command = new PgCommand("SELECT count(*) FROM pg_stat_activity WHERE query = $1 AND wait_event = 'PgSleep'", other);
        command.Parameters.Add(new PgParameter { Value = Slow });
        while ((long)(await command.ExecuteScalarAsync())! == 0)
            await Task.Delay(5);
    }

    private static string Outputs(PgBatch batch) => string.Join(", ", ((IEnumerable<PgBatchCommand>)batch.BatchCommands).Select(command => $"{command.Parameters[0].Value} {command.Parameters[1].Value}"));
}
