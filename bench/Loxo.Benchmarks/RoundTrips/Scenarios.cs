using System.Data.Common;
using Loxo.Benchmarks.Peers;

namespace Loxo.Benchmarks.RoundTrips;

/// <summary>What is done on an open connection while its round trips are counted.</summary>
/// <param name="Id">Its name in the results.</param>
/// <param name="Title">What happens, in words.</param>
/// <param name="Prepare">What comes before and is not counted.</param>
/// <param name="Run">What is counted.</param>
internal sealed record Scenario(string Id, string Title, Action<DbConnection> Prepare, Action<DbConnection> Run)
{
    /// <summary>The form of libpq's updates in a scenario that is also timed; null in those in which only drivers take part.</summary>
    public UpdatesForm? Libpq { get; init; }
}

/// <summary>The scenarios. All drivers run the same code, written against ADO.NET, except for pipelines, which ADO.NET lacks.</summary>
internal static class Scenarios
{
    /// <summary>Their name on the command line.</summary>
    public const string Name = "round-trips";

    /// <summary>The statements of a transaction.</summary>
    public const int Statements = 4;

    public static readonly Scenario[] All =
    [
        new("one-by-one", "transaction of 4 statements, one by one, committed", Nothing, OneByOne) { Libpq = UpdatesForm.OneByOne },
        new("batch", "transaction of 4 statements in one batch, committed", Nothing, InOneBatch) { Libpq = UpdatesForm.Transaction },
        new("whole", "the same sent as a whole: pipeline; Npgsql's batch with BEGIN and COMMIT", Nothing, AsAWhole)
        {
            Libpq = UpdatesForm.WholeTransaction,
        },
        new("disposed", "statement fails in a transaction, which is disposed", Nothing, connection => FailAndDispose(connection)),
        new("disposed-next", "the same, and the next command, which has run before", connection => RunOnce(connection), FailAndGoOn),
        new("automatic", "new statement at the use that prepares it automatically", connection => RunOnce(connection), connection => RunOnce(connection)),
        new("prepare", "new statement, Prepare, run", Nothing, PrepareAndRun),
    ];

    private static void Nothing(DbConnection connection)
    {
    }

    private static void OneByOne(DbConnection connection)
    {
        using var transaction = connection.BeginTransaction();
        for (var n = 0; n < Statements; n++)
        {
            using var command = connection.CreateCommand();
            command.Transaction = transaction;
            command.CommandText = TestData.Update;
            command.Parameters.Add(Key(command.CreateParameter(), n));
            command.ExecuteNonQuery();
        }
        transaction.Commit();
    }

    private static void InOneBatch(DbConnection connection)
    {
        using var transaction = connection.BeginTransaction();
        using var batch = connection.CreateBatch();
        batch.Transaction = transaction;
        for (var n = 0; n < Statements; n++)
        {
            var command = batch.CreateBatchCommand();
            command.CommandText = TestData.Update;
            command.Parameters.Add(Key(command.CreateParameter(), n));
            batch.BatchCommands.Add(command);
        }
        batch.ExecuteNonQuery();
        transaction.Commit();
    }

    private static void AsAWhole(DbConnection connection)
    {
        if (connection is PgConnection loxo)
            InAPipeline(loxo);
        else
            InABatchWithCommit(connection);
    }

    private static void InAPipeline(PgConnection connection)
    {
        using var transaction = connection.BeginTransaction();
        using var pipeline = connection.CreatePipeline();
        for (var n = 0; n < Statements; n++)
            pipeline.AddNonQuery(new PgCommand(TestData.Update) { Parameters = { new PgParameter<int>(TestData.Account(0, n)) } });
        pipeline.AddCommit().Wait();
    }

    private static void InABatchWithCommit(DbConnection connection)
    {
        using var batch = connection.CreateBatch();
        Add("BEGIN");
        for (var n = 0; n < Statements; n++)
        {
            var command = Add(TestData.Update);
            command.Parameters.Add(Key(command.CreateParameter(), n));
        }
        Add("COMMIT");
        batch.ExecuteNonQuery();

        DbBatchCommand Add(string sql)
        {
            var command = batch.CreateBatchCommand();
            command.CommandText = sql;
            batch.BatchCommands.Add(command);
            return command;
        }
    }

    private static void FailAndDispose(DbConnection connection)
    {
        using var transaction = connection.BeginTransaction();
        using var command = connection.CreateCommand();
        command.Transaction = transaction;
        command.CommandText = "SELECT 1 / 0";
        try
        {
            command.ExecuteNonQuery();
        }
        catch (DbException)
        {
            return; // which disposes
        }
        throw new InvalidOperationException("The division by zero did not fail.");
    }

    private static void FailAndGoOn(DbConnection connection)
    {
        FailAndDispose(connection);
        RunOnce(connection);
    }

    private static void RunOnce(DbConnection connection)
    {
        using var command = connection.CreateCommand();
        command.CommandText = TestData.Sql(Workload.Lookup);
        command.Parameters.Add(Key(command.CreateParameter(), 0));
        command.ExecuteScalar();
    }

    private static void PrepareAndRun(DbConnection connection)
    {
        using var command = connection.CreateCommand();
        command.CommandText = TestData.Sql(Workload.Lookup);
        command.Parameters.Add(Key(command.CreateParameter(), 0));
        command.Prepare();
        command.ExecuteScalar();
    }

    private static DbParameter Key(DbParameter parameter, int n)
    {
        parameter.Value = TestData.Account(0, n);
        return parameter;
    }
}
