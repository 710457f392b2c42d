using System.Data;
using System.Data.Common;
using Loxo.Protocol;
using Loxo.Session;
using Loxo.Transport;

namespace Loxo;

/// <summary>
/// How a command or a batch is run: claim the session, write everything, pump to the first stop, end. The blocking and the asynchronous
/// form differ only in the pump.
/// </summary>
internal static class CommandRunner
{
    /// <summary>Runs for the effects: rows changed, or -1.</summary>
    /// <exception cref="OverflowException">More than <see cref="int.MaxValue"/> were changed. The command has run.</exception>
    public static int NonQuery(IExecutable command)
    {
        using var lent = Lend(command);
        if (command.HasOutputs)
        {
            var reader = Reader(command, CommandBehavior.Default);
            reader.Close();
            return reader.RecordsAffected;
        }
        var session = Begin(command, CommandBehavior.Default);
        session.Query.SkipResults = true;
        session.Pump(session.Query, command.TimeoutMilliseconds);
        return TryCount(command, session, CancellationToken.None) is { } count ? count : NonQuery(command);
    }

    /// <inheritdoc cref="NonQuery"/>
    public static async Task<int> NonQueryAsync(IExecutable command, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        var lent = await LendAsync(command, token).ConfigureAwait(false);
        try
        {
            if (command.HasOutputs)
            {
                var reader = await ReaderAsync<PgDataReader>(command, CommandBehavior.Default, token).ConfigureAwait(false);
                await reader.CloseAsync().ConfigureAwait(false);
                return reader.RecordsAffected;
            }
            var session = await BeginAsync(command, CommandBehavior.Default, token).ConfigureAwait(false);
            session.Query.SkipResults = true;
            await session.PumpAsync(session.Query, command.TimeoutMilliseconds, token).ConfigureAwait(false);
            return TryCount(command, session, token) is { } count ? count : await NonQueryAsync(command, token).ConfigureAwait(false);
        }
        finally
        {
            if (lent is not null)
                await lent.DisposeAsync().ConfigureAwait(false);
        }
    }

    /// <summary>The first column of the first row, or null.</summary>
    public static object? Scalar(IExecutable command)
    {
        using var reader = Reader(command, CommandBehavior.SingleRow, ReaderOfScalars(command));
        return reader.Read() && reader.FieldCount > 0 ? reader.GetValue(0) : null;
    }

    /// <inheritdoc cref="Scalar"/>
    public static async Task<object?> ScalarAsync(IExecutable command, CancellationToken token)
    {
        var reader = await ReaderAsync<PgDataReader>(command, CommandBehavior.SingleRow, token, ReaderOfScalars(command)).ConfigureAwait(false);
        await using (reader.ConfigureAwait(false))
            return await reader.ReadAsync(token).ConfigureAwait(false) && reader.FieldCount > 0 ? reader.GetValue(0) : null;
    }

    /// <summary>Runs up to the first row, or the end of the first result.</summary>
    /// <param name="command">What runs.</param>
    /// <param name="behavior">As the user asked for.</param>
    /// <param name="reader">A closed reader that nobody else has a reference to; null for a new one.</param>
    public static PgDataReader Reader(IExecutable command, CommandBehavior behavior, PgDataReader? reader = null)
    {
        if (MustLend(command))
            return ReaderOnLent(command, behavior);
        var session = Begin(command, behavior);
        reader = Start(reader ?? new PgDataReader(), command, session, behavior, CancellationToken.None);
        try
        {
            return reader.EnterFirst(reader.Readable(session.Pump(session.Query, command.TimeoutMilliseconds)));
        }
        catch (PgException) when (RunAgain.IsPossible(session))
        {
            RunAgain.GetReady(session, command.Connection!);
            return Reader(command, behavior, reader);
        }
    }

    /// <inheritdoc cref="Reader"/>
    /// <typeparam name="T">The reader's type as the caller names it, so that one task is made and not a second one around it.</typeparam>
    public static Task<T> ReaderAsync<T>(IExecutable command, CommandBehavior behavior, CancellationToken token, PgDataReader? reader = null)
        where T : DbDataReader
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled<T>(token);
        try
        {
            if (MustLend(command))
                return ReaderOnLentAsync<T>(command, behavior, token);
            var begun = BeginAsync(command, behavior, token);
            return begun.IsCompletedSuccessfully
                ? EnterFirstAsync<T>(Start(reader ?? new PgDataReader(), command, begun.Result, behavior, token))
                : EnterAfterBeginAsync<T>(reader ?? new PgDataReader(), command, begun, behavior, token);
        }
        catch (Exception e)
        {
            return Task.FromException<T>(e);
        }
    }

    /// <summary>The answer to <see cref="ReaderAsync"/>'s flight has come to an end: frees the session and says what to throw, if anything.</summary>
    public static Exception? End(IExecutable command, ServerSession session, CancellationToken token)
    {
        command.Execution.Session = null;
        var query = session.Query;
        var error = query.Error is { } fields ? ErrorOf(session, fields, session.StopReason, token) : null;
        if (error is PostgresException refused)
        {
            error = MissingParameters.Explain(refused, command.Plan(session), query.FailedStatement);
            if (query.FailedBeforeExecution && ReferenceEquals(error, refused))
                error = RunAgain.Explain(query.Error!, refused);
        }
        if (query.LaterErrors is { } later)
            error = Together(error!, later, session, token);
        command.Ended(query, error);
        session.End();
        return error;
    }

    /// <summary>What to throw for an error that the server reported: one that we asked for by cancelling says so.</summary>
    public static Exception ErrorOf(ServerSession session, ServerErrorFields fields, StopReason reason, CancellationToken token)
    {
        var error = SessionErrors.FromServer(fields, session.Context.Settings);
        return error.SqlState == SqlStates.QueryCanceled && reason != StopReason.None
            ? SessionErrors.Confirmed(reason, error, token)
            : error;
    }

    /// <summary>Claims the session and writes; if writing fails nothing was sent and the session is free again.</summary>
    public static void Begin(ServerSession session, IExecutable command, CommandBehavior behavior, Action<ServerSession>? write = null)
    {
        session.Claim(command.Connection);
        while (!TryWrite(session, command, behavior, write))
            CommandLookup.LookUp(session, command);
        if (session.Output.Unmeasured is not null)
            Measure(session);
        Written(session, command);
    }

    /// <inheritdoc cref="Begin(ServerSession, IExecutable, CommandBehavior, Action{ServerSession})"/>
    public static async ValueTask BeginAsync(
        ServerSession session, IExecutable command, CommandBehavior behavior, CancellationToken token, Action<ServerSession>? write = null)
    {
        await session.ClaimAsync(command.Connection).ConfigureAwait(false);
        while (!TryWrite(session, command, behavior, write))
            await CommandLookup.LookUpAsync(session, command, token).ConfigureAwait(false);
        await MeasureAsync(session, token).ConfigureAwait(false);
        Written(session, command);
    }

    // A method of its own, as a lambda in End would cost every command an object.
    private static PgException Together(Exception first, List<ServerErrorFields> later, ServerSession session, CancellationToken token)
    {
        Exception[] all = [first, .. later.Select(other => ErrorOf(session, other, StopReason.None, token))];
        return new PgException($"{all.Length} statements of the batch failed; the first: {first.Message}", PgErrorCode.ServerError, new AggregateException(all));
    }

    private static ServerSession Begin(IExecutable command, CommandBehavior behavior)
    {
        var session = SessionOf(command);
        Begin(session, command, behavior);
        return session;
    }

    private static ValueTask<ServerSession> BeginAsync(IExecutable command, CommandBehavior behavior, CancellationToken token)
    {
        var session = SessionOf(command);
        var settled = session.ClaimAsync(command.Connection);
        if (!settled.IsCompletedSuccessfully || !TryWrite(session, command, behavior, null))
            return WriteAfterAsync(settled, session, command, behavior, token);
        if (session.Output.Unmeasured is not null)
            return WrittenAfterMeasureAsync(session, command, token);
        Written(session, command);
        return new(session);
    }

    private static async ValueTask<ServerSession> WriteAfterAsync(
        ValueTask settled, ServerSession session, IExecutable command, CommandBehavior behavior, CancellationToken token)
    {
        await settled.ConfigureAwait(false);
        while (!TryWrite(session, command, behavior, null))
            await CommandLookup.LookUpAsync(session, command, token).ConfigureAwait(false);
        return await WrittenAfterMeasureAsync(session, command, token).ConfigureAwait(false);
    }

    private static async ValueTask<ServerSession> WrittenAfterMeasureAsync(ServerSession session, IExecutable command, CancellationToken token)
    {
        await MeasureAsync(session, token).ConfigureAwait(false);
        Written(session, command);
        return session;
    }

    // The lengths of streams come before their bytes. Nothing has been sent yet, so a stream that fails here costs the command only.
    private static void Measure(ServerSession session)
    {
        try
        {
            StreamedBytes.MeasureAll(session.Output);
        }
        catch
        {
            TakeBack(session);
            throw;
        }
    }

    private static async ValueTask MeasureAsync(ServerSession session, CancellationToken token)
    {
        try
        {
            await StreamedBytes.MeasureAllAsync(session.Output, token).ConfigureAwait(false);
        }
        catch
        {
            TakeBack(session);
            throw;
        }
    }

    private static ServerSession SessionOf(IExecutable command) =>
        (command.Connection ?? throw new InvalidOperationException("There is no connection to run on: set Connection.")).OpenSession();

    // False when something has to be looked up first: nothing is sent then.
    private static bool TryWrite(ServerSession session, IExecutable command, CommandBehavior behavior, Action<ServerSession>? write)
    {
        try
        {
            session.Query.Start();
            if (write is null)
                command.Write(session, behavior);
            else
                write(session);
            if (session.Types.Wanted.Count > 0 || session.Query.WantedColumns is not null)
            {
                // What is written next is still the same run of the command.
                session.Query.RepeatNext = session.Query.IsRepeated;
                session.Query.TakeBack();
                return false;
            }
            return true;
        }
        catch
        {
            TakeBack(session);
            throw;
        }
    }

    private static void TakeBack(ServerSession session)
    {
        session.Query.TakeBack();
        session.Types.Written();
        session.End();
    }

    private static void Written(ServerSession session, IExecutable command)
    {
        try
        {
            session.Query.Written();
        }
        catch
        {
            TakeBack(session);
            throw;
        }
        session.Types.Written();
        ref var execution = ref command.Execution;
        execution.Number = session.CommandNumber;
        execution.Session = session;
    }

    // Null when the command has to run again.
    private static int? TryCount(IExecutable command, ServerSession session, CancellationToken token)
    {
        var affected = session.Query.RecordsAffected();
        if (End(command, session, token) is not { } error)
            return checked((int)affected);
        if (!RunAgain.IsPossible(session))
            throw error;
        RunAgain.GetReady(session, command.Connection!);
        return null;
    }

    // A reader is used again only where no user has it: an old reference must never reach the results of a later run.
    private static PgDataReader ReaderOfScalars(IExecutable command)
    {
        ref var execution = ref command.Execution;
        return execution.ReaderOfScalars is { IsClosed: true } reader ? reader : execution.ReaderOfScalars = new PgDataReader();
    }

    private static PgDataReader Start(PgDataReader reader, IExecutable command, ServerSession session, CommandBehavior behavior, CancellationToken token)
    {
        command.Connection!.Reader = reader;
        return reader.Start(session, command, behavior, token);
    }

    // The reader carries what the answer needs, and is all that the method that waits remembers: the caller's task is 128 bytes.
    private static async Task<T> EnterFirstAsync<T>(PgDataReader reader)
        where T : DbDataReader
    {
        while (true)
        {
            try
            {
                var progress = await reader.PumpFirstAsync().ConfigureAwait(false);
                if (reader.MustConvert(progress))
                    progress = await reader.ConvertAsync(progress, reader.ExecutionToken).ConfigureAwait(false);
                return (T)(DbDataReader)reader.EnterFirst(progress);
            }
            catch (PgException) when (RunAgain.IsPossible(reader.Session))
            {
                RunAgain.GetReady(reader.Session, reader.Owner.Connection!);
                await BeginAsync(reader.Session, reader.Owner, reader.Behavior, reader.ExecutionToken).ConfigureAwait(false);
                Start(reader, reader.Owner, reader.Session, reader.Behavior, reader.ExecutionToken);
            }
        }
    }

    private static async Task<T> EnterAfterBeginAsync<T>(
        PgDataReader reader, IExecutable command, ValueTask<ServerSession> begun, CommandBehavior behavior, CancellationToken token)
        where T : DbDataReader =>
        await EnterFirstAsync<T>(Start(reader, command, await begun.ConfigureAwait(false), behavior, token)).ConfigureAwait(false);

    private static bool MustLend(IExecutable command) => command.DataSource is not null && command.Connection is not { State: ConnectionState.Open };

    private static PgConnection? Lend(IExecutable command) => MustLend(command) ? command.Connection = command.DataSource!.OpenConnection() : null;

    private static async ValueTask<PgConnection?> LendAsync(IExecutable command, CancellationToken token) =>
        MustLend(command) ? command.Connection = await command.DataSource!.OpenConnectionAsync(token).ConfigureAwait(false) : null;

    private static PgDataReader ReaderOnLent(IExecutable command, CommandBehavior behavior)
    {
        var lent = Lend(command)!;
        try
        {
            return Reader(command, behavior | CommandBehavior.CloseConnection);
        }
        catch
        {
            lent.Dispose();
            throw;
        }
    }

    private static async Task<T> ReaderOnLentAsync<T>(IExecutable command, CommandBehavior behavior, CancellationToken token)
        where T : DbDataReader
    {
        var lent = (await LendAsync(command, token).ConfigureAwait(false))!;
        try
        {
            return await ReaderAsync<T>(command, behavior | CommandBehavior.CloseConnection, token).ConfigureAwait(false);
        }
        catch
        {
            await lent.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }
}
