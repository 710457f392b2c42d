using System.Data;
using System.Diagnostics;
using System.Reflection;

namespace Loxo.Conformance.Allocations;

/// <summary>
/// What an execution leaves for the garbage collector, in bytes, counted over whole loops after a warm-up. Blocking calls are counted on
/// their thread; asynchronous ones, which go on on any thread, in the whole process.
/// </summary>
[NonParallelizable]
public sealed class AllocationTests
{
    // What else the runtime allocates only adds to a loop, so the least of some counts.
    private const int MostLoops = 10;

    private const int Rounds = 2000;

    /// <summary>A reader of its own for each execution: decision 17.</summary>
    private const int BytesOfReader = 136;

    /// <summary>The boxed Int32 that ExecuteScalar returns.</summary>
    private const int BytesOfScalar = 24;

    /// <summary>
    /// The most that awaiting costs: the states of the test's method, of the awaited one and of the inner ones. The runtime keeps them for
    /// reuse by thread and core, so that an execution takes anything from nothing to all of them. What is independent of the thread, such
    /// as a buffer for each execution, shows all the same.
    /// </summary>
    private const int MostBytesOfTasks = 1000;

    private PgConnection _connection = null!;
    private PgCommand _command = null!;
    private PgParameter<int> _number = null!;
    private PgParameter<string> _text = null!;

    [OneTimeSetUp]
    public void CheckOptimized()
    {
        if (typeof(PgConnection).Assembly.GetCustomAttribute<DebuggableAttribute>() is { IsJITOptimizerDisabled: true })
            Assert.Ignore("Code that is not optimized allocates more: run with -c Release.");
    }

    [SetUp]
    public void Prepare()
    {
        _connection = new PgConnection(TestServer.Default.ConnectionString);
        _connection.Open();
        (_number, _text) = (new PgParameter<int>("number", 0), new PgParameter<string>("text", "text"));
        _command = new PgCommand("SELECT @number, 5::int8, 2.5::float8, 2.5::numeric, true, '2024-02-29'::timestamp, gen_random_uuid() "
            + "WHERE length(@text) = 4", _connection);
        _command.Parameters.Add(_number);
        _command.Parameters.Add(_text);
        _command.Prepare();
    }

    [TearDown]
    public void Close()
    {
        _command.Dispose();
        _connection.Dispose();
    }

    [Test]
    public void Executing_a_prepared_command_allocates_nothing() => AssertBlocking(0, i =>
    {
        _number.TypedValue = i;
        _command.ExecuteNonQuery();
    });

    [Test]
    public void A_scalar_costs_its_box() => AssertBlocking(BytesOfScalar, i =>
    {
        _number.TypedValue = i;
        _command.ExecuteScalar();
    });

    [Test]
    public void Reading_with_typed_getters_costs_the_reader_and_nothing_else() => AssertBlocking(BytesOfReader, i =>
    {
        _number.TypedValue = i;
        using var reader = _command.ExecuteReader();
        ReadAll(reader);
    });

    [Test]
    public void Rows_cost_nothing()
    {
        using var command = new PgCommand($"SELECT i, 5::int8, 2.5::float8, 2.5::numeric, true, '2024-02-29'::timestamp, gen_random_uuid() "
            + $"FROM generate_series(0, {(MostLoops + 1) * Rounds}) i", _connection);
        using var reader = command.ExecuteReader(CommandBehavior.SingleResult);
        AssertBlocking(0, _ => ReadOne(reader));
    }

    [Test]
    public void Executing_a_batch_again_allocates_nothing()
    {
        using var batch = Batch(out var parameter);
        AssertBlocking(0, i =>
        {
            parameter.TypedValue = i;
            batch.ExecuteNonQuery();
        });
    }

    [Test]
    public void Reading_a_batch_costs_the_reader_and_nothing_else()
    {
        using var batch = Batch(out var parameter);
        AssertBlocking(BytesOfReader, i =>
        {
            parameter.TypedValue = i;
            using var reader = batch.ExecuteReader();
            do
            {
                while (reader.Read())
                    reader.GetInt32(0);
            }
            while (reader.NextResult());
        });
    }

    [Test]
    public Task Executing_asynchronously_costs_the_awaited_task() => AssertAsync(MostBytesOfTasks, async i =>
    {
        _number.TypedValue = i;
        await _command.ExecuteNonQueryAsync();
    });

    [Test]
    public Task Reading_asynchronously_costs_the_awaited_task_and_the_reader() => AssertAsync(BytesOfReader + MostBytesOfTasks, async i =>
    {
        _number.TypedValue = i;
        await using var reader = await _command.ExecuteReaderAsync();
        while (await reader.ReadAsync())
            ReadValues(reader);
    });

    [Test]
    public async Task Executing_a_batch_asynchronously_costs_the_awaited_task()
    {
        using var batch = Batch(out var parameter);
        await AssertAsync(MostBytesOfTasks, async i =>
        {
            parameter.TypedValue = i;
            await batch.ExecuteNonQueryAsync();
        });
    }

    private PgBatch Batch(out PgParameter<int> parameter)
    {
        parameter = new PgParameter<int>("p", 0);
        var batch = new PgBatch(_connection);
        foreach (var sql in new[] { "SELECT @p", "SELECT 2", "SELECT 3" })
            batch.BatchCommands.Add(new PgBatchCommand(sql));
        batch.BatchCommands[0].Parameters.Add(parameter);
        batch.Prepare();
        return batch;
    }

    private static void ReadAll(PgDataReader reader)
    {
        while (reader.Read())
            ReadValues(reader);
    }

    private static void ReadOne(PgDataReader reader)
    {
        if (!reader.Read())
            throw new InvalidOperationException("There are too few rows.");
        ReadValues(reader);
    }

    private static void ReadValues(PgDataReader reader)
    {
        _ = (reader.GetInt32(0), reader.GetInt64(1), reader.GetDouble(2), reader.GetDecimal(3), reader.GetBoolean(4), reader.GetDateTime(5));
        _ = (reader.GetGuid(6), reader.GetFieldValue<int>(0), reader.GetFieldValue<int?>(0), reader.IsDBNull(0), reader.FieldCount);
    }

    private static void AssertBlocking(long expected, Action<int> execute)
    {
        for (var i = 0; i < Rounds; i++)
            execute(i);

        Assert.That(Least(expected, execute), Is.EqualTo(expected));
    }

    private static async Task AssertAsync(long expected, Func<int, Task> execute)
    {
        var least = double.MaxValue;
        for (var loop = 0; loop < MostLoops && least > expected; loop++)
        {
            var before = GC.GetTotalAllocatedBytes(precise: true);
            for (var i = 0; i < Rounds; i++)
                await execute(i);
            least = Math.Min(least, (GC.GetTotalAllocatedBytes(precise: true) - before) / (double)Rounds);
        }

        Assert.That(least, Is.LessThanOrEqualTo(expected));
    }

    private static double Least(long expected, Action<int> execute)
    {
        var least = double.MaxValue;
        for (var loop = 0; loop < MostLoops && least > expected; loop++)
        {
            var before = GC.GetAllocatedBytesForCurrentThread();
            for (var i = 0; i < Rounds; i++)
                execute(i);
            least = Math.Min(least, (GC.GetAllocatedBytesForCurrentThread() - before) / (double)Rounds);
        }
        return least;
    }
}
