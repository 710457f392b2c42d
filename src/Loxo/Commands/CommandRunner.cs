using System.Data;
using System.Data.Common;
using System.Runtime.ExceptionServices;
using Loxo.Protocol;
using Loxo.Session;

namespace Loxo.Commands;

/// <summary>
/// Runs a command or a batch: claims the session, starts the exchange, pumps it to its first stop, ends it. A call has a blocking and an
/// asynchronous form. They wait in different calls, for a connection, the claim and the pump, and share what does not wait.
/// </summary>
internal static class CommandRunner
{
    /// <summary>Runs for the effects, in a lane if it may share one: rows changed, or -1.</summary>
    /// <exception cref="OverflowException">More than <see cref="int.MaxValue"/> were changed. The command has run.</exception>
    public static int NonQuery(IExecutable command, bool mayShare = true)
    {
        if (command.HasOutputs)
            return WholeRunner.NonQuery(command);
        if (mayShare && LaneRunner.TryAdd(command, CommandBehavior.Default, skipsRows: true, blocks: true) is { } operation)
            return LaneRunner.NonQuery(operation, command);
        using var lent = Lend(command);
        var exchange = Begin(SessionOf(command), command, command, ResultMode.Skip);
        exchange.Session.Pump(exchange, command.TimeoutMilliseconds);
        return Affected(command, exchange, CancellationToken.None);
    }

    /// <inheritdoc cref="NonQuery"/>
    public static async Task<int> NonQueryAsync(IExecutable command, CancellationToken token, bool mayShare = true)
    {
        token.ThrowIfCancellationRequested();
        if (command.HasOutputs)
            return await WholeRunner.NonQueryAsync(command, token).ConfigureAwait(false);
        if (mayShare && LaneRunner.TryAdd(command, CommandBehavior.Default, skipsRows: true, blocks: false) is { } operation)
            return await LaneRunner.NonQueryAsync(operation, command, token).ConfigureAwait(false);
        var lent = await LendAsync(command, token).ConfigureAwait(false);
        try
        {
            await BindAsync(command, token).ConfigureAwait(false);
            var exchange = await BeginAsync(SessionOf(command), command, command, ResultMode.Skip).ConfigureAwait(false);
            await exchange.Session.PumpAsync(exchange, command.TimeoutMilliseconds, token).ConfigureAwait(false);
            return Affected(command, exchange, token);
        }
        finally
        {
            if (lent is not null)
                await lent.DisposeAsync().ConfigureAwait(false);
        }
    }

    /// <summary>Runs up to the first row, or the end of the first result.</summary>
    /// <param name="command">What runs.</param>
    /// <param name="behavior">As the user asked for.</param>
    /// <param name="reader">A closed reader that nobody else has a reference to; null for a new one.</param>
    /// <param name="mayShare">Whether it may run in a lane.</param>
    public static PgDataReader Reader(IExecutable command, CommandBehavior behavior, PgDataReader? reader = null, bool mayShare = true)
    {
        var operation = mayShare ? LaneRunner.TryAdd(command, behavior, skipsRows: false, blocks: true) : null;
        if (operation is null && MustLend(command))
            return ReaderOnLent(command, behavior, mayShare);
        operation?.Wait();
        while (operation is not null && LaneRunner.MustRunElsewhere(operation, command, out var firstAddedAt))
        {
            operation = LaneRunner.TryAdd(command, behavior, skipsRows: false, blocks: true, firstAddedAt);
            if (operation is null)
                return Reader(command, behavior, reader, mayShare: false);
            operation.Wait();
        }
        var exchange = operation?.Exchange ?? Begin(SessionOf(command), command, command, ModeOf(command, behavior));
        return Start(reader, command, exchange, behavior, CancellationToken.None).EnterFirst();
    }

    /// <inheritdoc cref="Reader"/>
    /// <typeparam name="T">The reader's type as the caller names it, so that one task is made and not a second one around it.</typeparam>
    public static Task<T> ReaderAsync<T>(
        IExecutable command, CommandBehavior behavior, CancellationToken token, PgDataReader? reader = null, bool mayShare = true)
        where T : DbDataReader
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled<T>(token);
        try
        {
            if (mayShare && LaneRunner.TryAdd(command, behavior, skipsRows: false, blocks: false) is { } operation)
                return LaneRunner.ReaderAsync<T>(reader, command, operation, behavior, token);
            if (MustLend(command))
                return ReaderOnLentAsync<T>(command, behavior, token, mayShare);
            if (command.Connection is { MustBind: true })
                return LaneRunner.ReaderAfterBindAsync<T>(reader, command, behavior, token);
            var (session, mode) = (SessionOf(command), ModeOf(command, behavior));
            var claimed = session.ClaimAsync(command.Connection);
            return claimed.IsCompletedSuccessfully
                ? Start(reader, command, Start(session, command, command, mode), behavior, token).EnterFirstAsync<T>()
                : EnterAfterBeginAsync<T>(reader, command, StartAfterAsync(claimed, session, command, command, mode), behavior, token);
        }
        catch (Exception e)
        {
            return Task.FromException<T>(e);
        }
    }

    /// <summary>Claims the session and writes. If writing fails, nothing was sent and the session is free again.</summary>
    /// <param name="session">Where the command runs.</param>
    /// <param name="command">The command that can be cancelled from now on.</param>
    /// <param name="source">The statements: the command itself, or something that is done for it.</param>
    /// <param name="mode">What becomes of the results.</param>
    public static CommandExchange Begin(ServerSession session, IExecutable command, IStatementSource source, ResultMode mode)
    {
        session.Claim(command.Connection);
        return Start(session, command, source, mode);
    }

    /// <inheritdoc cref="Begin"/>
    public static ValueTask<CommandExchange> BeginAsync(
        ServerSession session, IExecutable command, IStatementSource source, ResultMode mode)
    {
        var claimed = session.ClaimAsync(command.Connection);
        return claimed.IsCompletedSuccessfully
            ? new(Start(session, command, source, mode))
            : StartAfterAsync(claimed, session, command, source, mode);
    }

    /// <summary>The exchange has come to its end: frees the session and returns the exception to throw, if any.</summary>
    public static Exception? End(IExecutable command, CommandExchange exchange, CancellationToken token) =>
        End(command, exchange, token, out _);

    /// <summary>Also tells the rows that all statements have changed, or -1, while the exchange still knows them.</summary>
    public static Exception? End(IExecutable command, CommandExchange exchange, CancellationToken token, out long affected)
    {
        command.Execution.End();
        var error = command.Ended(exchange.Query, ErrorOf(command, exchange, token, isTaken: true));
        (error as PgException)?.Blame(exchange.Query.FailedText);
        affected = exchange.Query.RecordsAffected();
        if (exchange.Trace is not null)
            EndTrace(exchange, error);
        exchange.EndCommand();
        command.Connection?.CommandEnded();
        return error;
    }

    /// <summary>Gives the command's connection a session, if it has none.</summary>
    public static ValueTask BindAsync(IExecutable command, CancellationToken token) =>
        command.Connection is { MustBind: true } connection ? connection.BindAsync(token) : default;

    /// <summary>The exception for an error that the server reported: one that a cancel of ours has caused says so.</summary>
    public static Exception ErrorOf(
        ServerSession session, ServerErrorFields fields, StopReason reason, CancellationToken token, long? failedRow = null)
    {
        var error = SessionErrors.FromServer(fields, session.Context, failedRow);
        return error.SqlState == SqlStates.QueryCanceled && reason != StopReason.None
            ? SessionErrors.Confirmed(reason, error, token)
            : error;
    }

    /// <summary>The error of an answered command, or null. Whether it was given up counts only if its result is taken.</summary>
    public static Exception? ErrorOf(IExecutable command, CommandExchange exchange, CancellationToken token, bool isTaken)
    {
        var (session, query) = (exchange.Session, exchange.Query);
        if (exchange.StoppedBeforeSent)
            return SessionErrors.StoppedBefore(session.StopReason, token);
        if (isTaken && exchange.GivenUpFor != StopReason.None)
            return SessionErrors.GivenUp(exchange, token);
        if (exchange.Failure is { } failure)
            return failure;
        if (exchange.Query.SkippedAfter is { } failed)
            return SessionErrors.Skipped(failed as CommandExchange, session.Context.Settings);
        var error = query.Error is { } fields ? ErrorOf(session, fields, session.StopReason, token) : null;
        if (error is PostgresException refused)
        {
            error = MissingParameters.Explain(refused, command.Plan(session), query.FailedStatement);
            if (query.FailedBeforeExecution && ReferenceEquals(error, refused) && !session.Context.Settings.IsLikeNpgsql)
                error = RetryPolicy.Explain(query.Error!, refused);
        }
        return query.LaterErrors is { } later ? Together(error!, later, session, token) : error;
    }

    // A method of its own, as a lambda in End would cost every command an object.
    private static PgException Together(Exception first, List<ServerErrorFields> later, ServerSession session, CancellationToken token)
    {
        Exception[] all = [first, .. later.Select(other => ErrorOf(session, other, session.StopReason, token))];
        return new PgException(
            $"{all.Length} statements of the batch failed; the first: {first.Message}", PgErrorCode.ServerError,
            new AggregateException(all));
    }

    /// <summary>The session of the command's connection, which must be open.</summary>
    public static ServerSession SessionOf(IExecutable command) =>
        (command.Connection ?? throw new InvalidOperationException("There is no connection to run on: set Connection.")).OpenSession();

    // Output parameters are filled from the first row before it is read, so that row is needed whole.
    private static ResultMode ModeOf(IExecutable command, CommandBehavior behavior)
    {
        var mode = (behavior & CommandBehavior.SchemaOnly) != 0 ? ResultMode.Describe : ResultMode.Rows;
        return (behavior & CommandBehavior.SequentialAccess) != 0 && !command.HasOutputs ? mode | ResultMode.RowsInPieces : mode;
    }

    private static CommandExchange Start(ServerSession session, IExecutable command, IStatementSource source, ResultMode mode)
    {
        var exchange = session.Command;
        var runs = mode != ResultMode.Prepare && (mode & ResultMode.Describe) == 0;
        exchange.Trace = session.Trace = runs ? CommandTracing.Begin(command, exchange, session) : null;
        try
        {
            exchange.Start(source, mode);
        }
        catch (Exception e)
        {
            exchange.Trace?.End(e);
            throw;
        }
        command.Execution.Start(session);
        return exchange;
    }

    private static void EndTrace(CommandExchange exchange, Exception? error)
    {
        CommandTracing.End(exchange.Trace!, exchange.Query, error);
        exchange.Trace = exchange.Session.Trace = null;
    }

    private static async ValueTask<CommandExchange> StartAfterAsync(
        ValueTask claimed, ServerSession session, IExecutable command, IStatementSource source, ResultMode mode)
    {
        await claimed.ConfigureAwait(false);
        return Start(session, command, source, mode);
    }

    private static int Affected(IExecutable command, CommandExchange exchange, CancellationToken token)
    {
        if (End(command, exchange, token, out var affected) is { } error)
            ExceptionDispatchInfo.Throw(error);
        return checked((int)affected);
    }

    public static PgDataReader Start(
        PgDataReader? reader, IExecutable command, CommandExchange exchange, CommandBehavior behavior, CancellationToken token)
    {
        reader ??= new PgDataReader();
        (exchange.Operation as LaneOperation)?.ReadBy(reader);
        command.Connection?.Reader = reader;
        return reader.Start(exchange, command, behavior, token);
    }

    private static async Task<T> EnterAfterBeginAsync<T>(
        PgDataReader? reader, IExecutable command, ValueTask<CommandExchange> begun, CommandBehavior behavior, CancellationToken token)
        where T : DbDataReader =>
        await Start(reader, command, await begun.ConfigureAwait(false), behavior, token).EnterFirstAsync<T>().ConfigureAwait(false);

    private static bool MustLend(IExecutable command) =>
        command.DataSource is not null && command.Connection is not { State: ConnectionState.Open };

    /// <summary>The connection that a command of a data source gets for this run; null if it has one. Dispose it.</summary>
    public static PgConnection? Lend(IExecutable command) =>
        MustLend(command) ? command.Connection = command.DataSource!.OpenConnection() : null;

    /// <inheritdoc cref="Lend"/>
    public static async ValueTask<PgConnection?> LendAsync(IExecutable command, CancellationToken token) =>
        MustLend(command) ? command.Connection = await command.DataSource!.OpenConnectionAsync(token).ConfigureAwait(false) : null;

    private static PgDataReader ReaderOnLent(IExecutable command, CommandBehavior behavior, bool mayShare)
    {
        var lent = Lend(command);
        if (lent is null)
            return Reader(command, behavior, mayShare: mayShare); // another thread has opened one just now
        try
        {
            return Reader(command, behavior | CommandBehavior.CloseConnection, mayShare: mayShare);
        }
        catch
        {
            lent.Dispose();
            throw;
        }
    }

    private static async Task<T> ReaderOnLentAsync<T>(IExecutable command, CommandBehavior behavior, CancellationToken token, bool mayShare)
        where T : DbDataReader
    {
        var lent = await LendAsync(command, token).ConfigureAwait(false);
        if (lent is null)
            return await ReaderAsync<T>(command, behavior, token, mayShare: mayShare).ConfigureAwait(false); // as above
        try
        {
            return await ReaderAsync<T>(command, behavior | CommandBehavior.CloseConnection, token, null, mayShare).ConfigureAwait(false);
        }
        catch
        {
            await lent.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }
}
