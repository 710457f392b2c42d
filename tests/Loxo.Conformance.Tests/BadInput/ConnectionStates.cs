using System.Data;

namespace Loxo.Conformance.BadInput;

/// <summary>States of what runs commands.</summary>
internal static class ConnectionStates
{
    public static readonly (string State, Func<Task<Subject>> Make)[] OfConnections =
    [
        ("new", () => Subjects.Of(new PgConnection())),
        ("closed", () => Subjects.Of(Subjects.Source.CreateConnection())),
        ("open", () => On(connection => new Subject(connection, connection))),
        ("being read", () => On(connection => new Subject(connection, connection, Reader(connection)))),
        ("in a transaction", () => On(connection => new Subject(connection, connection, connection.BeginTransaction()))),
        ("in a failed transaction", () => On(connection => new Subject(connection, connection, FailedTransaction(connection)))),
        ("in a pipeline", () => On(connection => new Subject(connection, connection, connection.CreatePipeline()))),
        ("disposed", () => On(connection => Disposed(connection, connection))),
    ];

    public static readonly (string State, Func<Task<Subject>> Make)[] OfCommands =
    [
        ("new", () => Subjects.Of(new PgCommand())),
        ("ready", () => On(connection => new Subject(Ready(connection), connection))),
        ("prepared", () => On(connection => new Subject(Prepared(connection), connection))),
        ("without a value", () => On(connection => new Subject(new PgCommand("SELECT @p", connection) { Parameters = { new PgParameter("p", null) } }, connection))),
        ("wrong SQL", () => On(connection => new Subject(new PgCommand("SELEC 1", connection), connection))),
        ("being read", () => On(connection =>
        {
            var command = Ready(connection);
            return new Subject(command, connection, command.ExecuteReader());
        })),
        ("beside a reader", () => On(connection => new Subject(Ready(connection), connection, Reader(connection)))),
        ("in a failed transaction", () => On(connection => new Subject(Ready(connection), connection, FailedTransaction(connection)))),
        ("on a closed connection", () => Subjects.Of(Ready(Subjects.Source.CreateConnection()))),
        ("of a data source", () => Subjects.Of(Subjects.Source.CreateCommand("SELECT 1 AS x"))),
        ("disposed", () => On(connection => Disposed(Ready(connection), connection))),
    ];

    public static readonly (string State, Func<Task<Subject>> Make)[] OfBatches =
    [
        ("new", () => Subjects.Of(new PgBatch())),
        ("empty", () => On(connection => new Subject(connection.CreateBatch(), connection))),
        ("ready", () => On(connection => new Subject(Batch(connection), connection))),
        ("without text", () => On(connection => new Subject(new PgBatch(connection) { BatchCommands = { new PgBatchCommand() } }, connection))),
        ("beside a reader", () => On(connection => new Subject(Batch(connection), connection, Reader(connection)))),
        ("on a closed connection", () => Subjects.Of(Batch(Subjects.Source.CreateConnection()))),
        ("of a data source", () => Subjects.Of(Subjects.Source.CreateBatch())),
        ("disposed", () => On(connection => Disposed(Batch(connection), connection))),
    ];

    public static readonly (string State, Func<Task<Subject>> Make)[] OfTransactions =
    [
        ("begun", () => On(connection => new Subject(connection.BeginTransaction(), connection))),
        ("in use", () => On(connection => new Subject(Used(connection), connection))),
        ("being read", () => On(connection => new Subject(Used(connection), connection, Reader(connection)))),
        ("failed", () => On(connection => new Subject(FailedTransaction(connection), connection))),
        ("committed", () => On(connection => Ended(connection, transaction => transaction.Commit()))),
        ("rolled back", () => On(connection => Ended(connection, transaction => transaction.Rollback()))),
        ("disposed", () => On(connection => Ended(connection, transaction => transaction.Dispose()))),
        ("on a closed connection", () => On(connection => Ended(connection, _ => connection.Close()))),
    ];

    public static readonly (string State, Func<Task<Subject>> Make)[] OfPipelines =
    [
        ("new", () => On(connection => new Subject(connection.CreatePipeline(), connection))),
        ("disposed", () => On(connection => Disposed(connection.CreatePipeline(), connection))),
        ("on a closed connection", () => On(connection =>
        {
            var pipeline = connection.CreatePipeline();
            connection.Close();
            return new Subject(pipeline, connection);
        })),
    ];

    public static readonly (string State, Func<Task<Subject>> Make)[] OfPipelineResults =
    [
        ("not sent", () => On(connection => Result(connection, _ => { }))),
        ("sent", () => On(connection => Result(connection, pipeline => pipeline.Sync()))),
        ("of a disposed pipeline", () => On(connection => Result(connection, pipeline => pipeline.Dispose()))),
    ];

    public static async Task<Subject> On(Func<PgConnection, Subject> make)
    {
        var connection = await Subjects.Source.OpenConnectionAsync();
        try
        {
            return make(connection);
        }
        catch
        {
            await connection.DisposeAsync();
            throw;
        }
    }

    public static PgDataReader Reader(PgConnection connection)
    {
        var reader = new PgCommand("SELECT 1 AS x, 'text' AS y UNION ALL SELECT 2, NULL", connection).ExecuteReader();
        reader.Read();
        return reader;
    }

    private static Subject Result(PgConnection connection, Action<PgPipeline> then)
    {
        var pipeline = connection.CreatePipeline();
        var result = pipeline.AddNonQuery("SELECT 1");
        then(pipeline);
        return new Subject(result, connection, pipeline);
    }

    private static PgCommand Ready(PgConnection connection) => new("SELECT @p AS x", connection) { Parameters = { new PgParameter<int>("p", 1) } };

    private static PgCommand Prepared(PgConnection connection)
    {
        var command = Ready(connection);
        command.Prepare();
        return command;
    }

    private static PgBatch Batch(PgConnection connection) =>
        new(connection) { BatchCommands = { new PgBatchCommand("SELECT 1 AS x"), new PgBatchCommand("SELECT 2 AS y") } };

    private static PgTransaction Used(PgConnection connection)
    {
        var transaction = connection.BeginTransaction();
        using var command = new PgCommand("SELECT 1", connection);
        command.ExecuteNonQuery();
        return transaction;
    }

    private static PgTransaction FailedTransaction(PgConnection connection)
    {
        var transaction = connection.BeginTransaction();
        using var command = new PgCommand("SELECT 1/0", connection);
        Assert.That(() => command.ExecuteNonQuery(), Throws.InstanceOf<PostgresException>());
        return transaction;
    }

    private static Subject Ended(PgConnection connection, Action<PgTransaction> end)
    {
        var transaction = Used(connection);
        end(transaction);
        return new Subject(transaction, connection);
    }

    private static Subject Disposed(IDisposable instance, PgConnection connection)
    {
        instance.Dispose();
        return new Subject(instance, connection);
    }
}
