using System.Data;
using System.Diagnostics;
using System.Reflection;
using System.Runtime.InteropServices;

namespace Loxo.Conformance.Allocations;

/// <summary>
/// What an execution leaves for the garbage collector, in bytes, counted over whole loops after a warm-up. Blocking calls are counted on
/// their thread; asynchronous ones, which continue on any thread, in the whole process, less the tasks that they return.
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
    /// What an asynchronous execution may cost beside the tasks that it returns. The runtime keeps the states of inner methods for reuse by
    /// thread and core; now and then it finds none there, for far less than one execution in ten.
    /// </summary>
    private const int MostBytesBesideTasks = 16;

    private const int BytesOfTransaction = 48;

    /// <summary>The result that a pipeline gives for each command.</summary>
    private const int BytesOfPipelinedResult = 136;

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
    public Task Executing_asynchronously_costs_the_awaited_task() => AssertAsync(0, async (i, awaited) =>
    {
        _number.TypedValue = i;
        await awaited.Count(_command.ExecuteNonQueryAsync());
    });

    [Test]
    public Task Reading_asynchronously_costs_the_awaited_tasks_and_the_reader() => AssertAsync(BytesOfReader, async (i, awaited) =>
    {
        _number.TypedValue = i;
        await using var reader = await awaited.Count(_command.ExecuteReaderAsync());
        while (await awaited.Count(reader.ReadAsync()))
            ReadValues(reader);
    });

    [Test]
    public async Task Executing_a_batch_asynchronously_costs_the_awaited_task()
    {
        using var batch = Batch(out var parameter);
        await AssertAsync(0, async (i, awaited) =>
        {
            parameter.TypedValue = i;
            await awaited.Count(batch.ExecuteNonQueryAsync());
        });
    }

    [Test]
    public async Task Reading_a_batch_asynchronously_costs_the_awaited_tasks_and_the_reader()
    {
        using var batch = Batch(out var parameter);
        await AssertAsync(BytesOfReader, async (i, awaited) =>
        {
            parameter.TypedValue = i;
            await using var reader = await awaited.Count(batch.ExecuteReaderAsync());
            do
            {
                while (await awaited.Count(reader.ReadAsync()))
                    reader.GetInt32(0);
            }
            while (await awaited.Count(reader.NextResultAsync()));
        });
    }

    [Test]
    public void A_transaction_costs_its_object_and_nothing_else() => AssertBlocking(BytesOfTransaction, i =>
    {
        using var transaction = _connection.BeginTransaction();
        _number.TypedValue = i;
        _command.ExecuteNonQuery();
        transaction.Commit();
    });

    [Test]
    public Task A_transaction_costs_its_object_and_the_awaited_tasks() => AssertAsync(BytesOfTransaction, async (i, awaited) =>
    {
        await using var transaction = await _connection.BeginTransactionAsync();
        _number.TypedValue = i;
        await awaited.Count(_command.ExecuteNonQueryAsync());
        await awaited.Count(transaction.CommitAsync());
    });

    [Test]
    public void A_pipelined_command_costs_its_result_and_nothing_else()
    {
        using var pipeline = _connection.CreatePipeline();
        AssertBlocking(BytesOfPipelinedResult, i =>
        {
            _number.TypedValue = i;
            pipeline.AddNonQuery(_command).GetResult();
        });
    }

    [Test]
    public async Task Counting_statements_costs_nothing_more()
    {
        await using var source = new PgDataSourceBuilder(TestServer.Default.ConnectionString).UseStatementStatistics().Build();
        await using var connection = await source.OpenConnectionAsync();
        _command.Connection = connection;
        _command.Prepare();
        AssertBlocking(0, i =>
        {
            _number.TypedValue = i;
            _command.ExecuteNonQuery();
        });
        await AssertAsync(0, async (i, awaited) =>
        {
            _number.TypedValue = i;
            await awaited.Count(_command.ExecuteNonQueryAsync());
        });
        using var batch = Batch(out var parameter, connection);
        AssertBlocking(0, i =>
        {
            parameter.TypedValue = i;
            batch.ExecuteNonQuery();
        });
        Assert.That(source.GetStatementStatistics()!.Statements, Has.Count.EqualTo(3).And.All.Property("Calls").GreaterThan(Rounds));
    }

    private PgBatch Batch(out PgParameter<int> parameter, PgConnection? connection = null)
    {
        parameter = new PgParameter<int>("p", 0);
        var batch = new PgBatch(connection ?? _connection);
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

    // Without the context of NUnit, which costs objects for each continuation.
    private static Task AssertAsync(long expected, Func<int, Awaited, Task> execute) => Task.Run(async () =>
    {
        var least = double.MaxValue;
        for (var loop = 0; loop < MostLoops && least > expected + MostBytesBesideTasks; loop++)
        {
            var awaited = new Awaited();
            var before = GC.GetTotalAllocatedBytes(precise: true);
            for (var i = 0; i < Rounds; i++)
                await awaited.Count(execute(i, awaited));
            least = Math.Min(least, (GC.GetTotalAllocatedBytes(precise: true) - before - awaited.Bytes) / (double)Rounds);
        }

        Assert.That(least, Is.LessThanOrEqualTo(expected + MostBytesBesideTasks));
    });

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

    /// <summary>The tasks that calls have returned. The task of a method that waits is the object that holds its state.</summary>
    private sealed class Awaited
    {
        public long Bytes { get; private set; }

        public Task Count(Task task)
        {
            if (!ReferenceEquals(task, Task.CompletedTask))
                Bytes += BytesOf(task);
            return task;
        }

        // The runtime shares the tasks of calls that did not wait and return a truth value or a small number.
        public Task<T> Count<T>(Task<T> task)
        {
            if (task.GetType() != typeof(Task<bool>) && task.GetType() != typeof(Task<int>))
                Bytes += BytesOf(task);
            return task;
        }

        // The size of an object without elements stands in its method table, behind its flags (methodtable.h).
        private static int BytesOf(Task task) => Marshal.ReadInt32(task.GetType().TypeHandle.Value, sizeof(int));
    }
}
