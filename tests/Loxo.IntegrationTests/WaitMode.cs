using System.Collections.Concurrent;
using System.Data;
using System.Data.Common;

namespace Loxo.IntegrationTests;

/// <summary>Which of the driver's two forms a test runs: every test of behaviour runs in both.</summary>
public enum WaitMode
{
    Blocking,
    Async,
}

/// <summary>
/// ADO.NET's calls in either form. The blocking ones run under a SynchronizationContext that refuses to be used, so that asynchrony
/// hidden in them shows.
/// </summary>
internal static class WaitModeCalls
{
    public static Task Open(this WaitMode mode, DbConnection connection, CancellationToken token = default) =>
        mode.Run(connection.Open, () => connection.OpenAsync(token));

    public static Task Close(this WaitMode mode, DbConnection connection) => mode.Run(connection.Close, connection.CloseAsync);

    public static Task<int> ExecuteNonQuery(this WaitMode mode, DbCommand command, CancellationToken token = default) =>
        mode.Run(command.ExecuteNonQuery, () => command.ExecuteNonQueryAsync(token));

    public static Task<object?> ExecuteScalar(this WaitMode mode, DbCommand command, CancellationToken token = default) =>
        mode.Run(command.ExecuteScalar, () => command.ExecuteScalarAsync(token));

    public static Task<PgDataReader> ExecuteReader(
        this WaitMode mode, PgCommand command, CommandBehavior behavior = CommandBehavior.Default, CancellationToken token = default) =>
        mode.Run(() => command.ExecuteReader(behavior), () => command.ExecuteReaderAsync(behavior, token));

    public static Task<bool> Read(this WaitMode mode, DbDataReader reader, CancellationToken token = default) =>
        mode.Run(reader.Read, () => reader.ReadAsync(token));

    public static Task<bool> NextResult(this WaitMode mode, DbDataReader reader, CancellationToken token = default) =>
        mode.Run(reader.NextResult, () => reader.NextResultAsync(token));

    public static Task Close(this WaitMode mode, DbDataReader reader) => mode.Run(reader.Close, reader.CloseAsync);

    public static Task Prepare(this WaitMode mode, DbCommand command) => mode.Run(command.Prepare, () => command.PrepareAsync());

    public static Task Commit(this WaitMode mode, DbTransaction transaction) => mode.Run(transaction.Commit, () => transaction.CommitAsync());

    public static Task Rollback(this WaitMode mode, DbTransaction transaction) => mode.Run(transaction.Rollback, () => transaction.RollbackAsync());

    public static Task Dispose<T>(this WaitMode mode, T disposable)
        where T : IDisposable, IAsyncDisposable =>
        mode.Run(disposable.Dispose, () => disposable.DisposeAsync().AsTask());

    /// <summary>Runs one form or the other.</summary>
    public static Task Run(this WaitMode mode, Action blocking, Func<Task> async) => mode.Run(
        () =>
        {
            blocking();
            return true;
        },
        async () =>
        {
            await async();
            return true;
        });

    /// <summary>Runs one form or the other.</summary>
    public static Task<T> Run<T>(this WaitMode mode, Func<T> blocking, Func<Task<T>> async) =>
        mode == WaitMode.Async ? async() : Task.FromResult(Blocking(blocking));

    private static T Blocking<T>(Func<T> call)
    {
        var former = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(new RefusingContext());
        try
        {
            return call();
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(former);
        }
    }

    /// <summary>Fails if a blocking call, of this test or of one before it, used its caller's SynchronizationContext.</summary>
    public static void AssertNoneUsedItsContext()
    {
        if (RefusingContext.Uses.TryDequeue(out var use))
            Assert.Fail($"A blocking call is asynchronous inside: {use}.");
    }

    // Refuses by a failure of the test: an exception here would end the process.
    private sealed class RefusingContext : SynchronizationContext
    {
        public static ConcurrentQueue<string> Uses { get; } = new();

        public override void Post(SendOrPostCallback d, object? state)
        {
            Uses.Enqueue($"{(state as Delegate)?.Target ?? state} was posted to its caller's SynchronizationContext{Environment.NewLine}{Environment.StackTrace}");
            base.Post(d, state);
        }

        public override void Send(SendOrPostCallback d, object? state)
        {
            Uses.Enqueue($"{(state as Delegate)?.Target ?? state} was sent to its caller's SynchronizationContext{Environment.NewLine}{Environment.StackTrace}");
            base.Send(d, state);
        }
    }
}
