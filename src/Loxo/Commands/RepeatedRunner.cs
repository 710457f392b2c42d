using Loxo.Protocol;

namespace Loxo.Commands;

/// <summary>
/// Runs a command for many rows. The blocking and the asynchronous form differ only in how rows are enumerated and how the session is
/// pumped: see <see cref="RepeatedRun"/>. If the enumerator, the caller's delegate or the encoding of a value throws, the rows are undone
/// before the exception goes on.
/// </summary>
internal static class RepeatedRunner
{
    /// <summary>Runs the command for each row: rows changed, or -1; 0 if there is no row.</summary>
    public static long Run<T>(PgCommand command, IEnumerable<T> rows, Action<T, PgParameterCollection> bind)
    {
        using var lent = CommandRunner.Lend(command);
        var run = RepeatedRun.Begin(command);
        try
        {
            foreach (var row in rows)
            {
                bind(row, command.Parameters);
                var next = run.Write(CancellationToken.None);
                while (next == RepeatedRun.Next.LookUp)
                    next = run.WriteAfterLookup();
                if (next == RepeatedRun.Next.Stop || (next == RepeatedRun.Next.Send && !run.Send()))
                    break;
            }
            if (run.End(CancellationToken.None))
                run.Finish();
            return run.Result(CancellationToken.None);
        }
        catch (Exception e)
        {
            run.Failed(e);
            Undo(run);
            throw;
        }
        finally
        {
            run.Release();
        }
    }

    /// <inheritdoc cref="Run"/>
    public static Task<long> RunAsync<T>(
        PgCommand command, IEnumerable<T> rows, Action<T, PgParameterCollection> bind, CancellationToken token) =>
        RunAsync(command, new PresentRows<T>(rows), bind, token);

    /// <inheritdoc cref="Run"/>
    public static async Task<long> RunAsync<T>(
        PgCommand command, IAsyncEnumerable<T> rows, Action<T, PgParameterCollection> bind, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        var lent = await CommandRunner.LendAsync(command, token).ConfigureAwait(false);
        try
        {
            OwnSession.Note(command.Connection, PgOwnSessionReason.Pipeline, command.CommandText);
            await CommandRunner.BindAsync(command, token).ConfigureAwait(false);
            return await RunOnOpenAsync(command, rows, bind, token).ConfigureAwait(false);
        }
        finally
        {
            if (lent is not null)
                await lent.DisposeAsync().ConfigureAwait(false);
        }
    }

    private static async Task<long> RunOnOpenAsync<T>(
        PgCommand command, IAsyncEnumerable<T> rows, Action<T, PgParameterCollection> bind, CancellationToken token)
    {
        var run = await RepeatedRun.BeginAsync(command).ConfigureAwait(false);
        try
        {
            await foreach (var row in rows.WithCancellation(token).ConfigureAwait(false))
            {
                bind(row, command.Parameters);
                var next = run.Write(token);
                while (next == RepeatedRun.Next.LookUp)
                    next = await run.WriteAfterLookupAsync(token).ConfigureAwait(false);
                if (next == RepeatedRun.Next.Stop
                    || (next == RepeatedRun.Next.Send && await run.SendAsync(token).ConfigureAwait(false) != Progress.Sent))
                    break;
            }
            if (run.End(token))
                await run.FinishAsync(token).ConfigureAwait(false);
            return run.Result(token);
        }
        catch (Exception e)
        {
            run.Failed(e);
            await UndoAsync(run, token).ConfigureAwait(false);
            throw;
        }
        finally
        {
            run.Release();
        }
    }

    // The exception that is on its way tells the cause, whatever becomes of the connection.
    private static void Undo(RepeatedRun run)
    {
        try
        {
            if (run.Undo())
                run.Finish();
        }
        catch (Exception) when (run.IsBroken)
        {
        }
    }

    private static async ValueTask UndoAsync(RepeatedRun run, CancellationToken token)
    {
        try
        {
            if (run.Undo())
                await run.FinishAsync(token).ConfigureAwait(false);
        }
        catch (Exception) when (run.IsBroken)
        {
        }
    }

    /// <summary>Rows for which nobody has to wait.</summary>
    private sealed class PresentRows<T>(IEnumerable<T> rows) : IAsyncEnumerable<T>, IAsyncEnumerator<T>
    {
        private IEnumerator<T>? _rows;

        public T Current => _rows!.Current;

        public IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default)
        {
            _rows = rows.GetEnumerator();
            return this;
        }

        public ValueTask<bool> MoveNextAsync() => new(_rows!.MoveNext());

        public ValueTask DisposeAsync()
        {
            _rows!.Dispose();
            return default;
        }
    }
}
