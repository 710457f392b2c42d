using System.Data;
using Loxo.IntegrationTests.Poolers;

namespace Loxo.IntegrationTests.Batches;

/// <summary>Output parameters of the procedures that a batch calls.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class BatchOutputTests(WaitMode mode) : DatabaseTest(mode)
{
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
        await Mode.Run(() => batch.ExecuteScalar(), () => batch.ExecuteScalarAsync());
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

    private static string Outputs(PgBatch batch) => string.Join(", ", ((IEnumerable<PgBatchCommand>)batch.BatchCommands).Select(command => $"{command.Parameters[0].Value} {command.Parameters[1].Value}"));
}
