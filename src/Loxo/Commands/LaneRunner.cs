using System.Data;
using System.Data.Common;
using System.Runtime.ExceptionServices;
using Loxo.Session;
using Loxo.Sql;

namespace Loxo.Commands;

/// <summary>Runs a command in a lane, if it can run there: see docs/multiplexing.md.</summary>
internal static class LaneRunner
{
    // A longer batch would hold up the others of its lane. LaneOperation has a bit for each statement.
    private const int MostStatements = 32;

    /// <summary>
    /// Adds the command to a lane. Null if it needs a session of its own: its connection has one already; or it is not known to leave its
    /// session as it was; or something has to be looked up before it can be written.
    /// </summary>
    /// <exception cref="PgException">A value cannot be sent.</exception>
    /// <param name="command">What runs.</param>
    /// <param name="behavior">As the user asked for.</param>
    /// <param name="skipsRows">Whether nobody reads its rows.</param>
    /// <param name="blocks">Whether its caller blocks.</param>
    /// <param name="firstAddedAt">When it was added to a lane that it has left; 0 for none.</param>
    public static LaneOperation? TryAdd(
        IExecutable command, CommandBehavior behavior, bool skipsRows, bool blocks, long firstAddedAt = 0)
    {
        if (command.Connection is { IsUnbound: true, HasListeners: true } listening)
            listening.Lanes!.Note(PgOwnSessionReason.Listener, command);
        if (LanesOf(command) is not { IsUsable: true } lanes)
            return null;
        if (TryAdd(lanes, command, behavior, skipsRows, blocks, firstAddedAt, out var reason) is { } operation)
            return operation;
        // A data source's command whose rows are read comes again with a connection, unless it has left a lane.
        if (skipsRows || command.Connection is not null || firstAddedAt != 0)
            lanes.Note(reason, command);
        return null;
    }

    private static LaneOperation? TryAdd(
        LaneSet lanes, IExecutable command, CommandBehavior behavior, bool skipsRows, bool blocks, long firstAddedAt,
        out PgOwnSessionReason reason)
    {
        reason = PgOwnSessionReason.Unsuited;
        if (!IsOrdinary(command, behavior))
            return null;
        reason = PgOwnSessionReason.NoLane;
        if (lanes.AnySession is not { } any)
        {
            lanes.Choose(reads: true);
            return null;
        }
        command.CheckDisposed();
        var statements = command.Plan(any);
        if (statements.Length == 0 || !MayShare(statements, behavior, any, ref reason)
            || lanes.Choose(AreReads(statements)) is not { } lane)
            return null;
        var operation = lane.Free.Rent();
        var isAdded = false;
        try
        {
            reason = PgOwnSessionReason.Unsuited;
            if (operation.TryEncode(command, statements))
            {
                reason = PgOwnSessionReason.NoLane;
                var mode = skipsRows ? ResultMode.Skip : ResultMode.Collect;
                isAdded = lane.TryAdd(operation, mode, blocks, command.TimeoutMilliseconds, firstAddedAt);
            }
            if (!isAdded)
                return null;
            command.Execution.Start(operation);
            operation.Exchange.Trace = CommandTracing.Begin(command, operation.Exchange, any);
            if (firstAddedAt != 0)
                operation.Exchange.Trace?.BeganEarlier(TimeSpan.FromMilliseconds(operation.AddedAt - firstAddedAt));
            return operation;
        }
        finally
        {
            if (!isAdded)
                operation.Recycle();
        }
    }

    public static int NonQuery(LaneOperation operation, IExecutable command)
    {
        while (true)
        {
            operation.Wait();
            // Another command in front may have so many rows that each caller receives for itself.
            if (!operation.GoesElsewhere)
                operation.Exchange.Pump(command.TimeoutMilliseconds);
            if (!MustRunElsewhere(operation, command, out var firstAddedAt))
                return Affected(operation, command, CancellationToken.None);
            if (TryAdd(command, CommandBehavior.Default, skipsRows: true, blocks: true, firstAddedAt) is not { } next)
                return CommandRunner.NonQuery(command, mayShare: false);
            operation = next;
        }
    }

    public static async Task<int> NonQueryAsync(LaneOperation operation, IExecutable command, CancellationToken token)
    {
        while (true)
        {
            await operation.WaitAsync(token).ConfigureAwait(false);
            if (!operation.GoesElsewhere)
                await operation.Exchange.PumpAsync(command.TimeoutMilliseconds, token).ConfigureAwait(false);
            if (!MustRunElsewhere(operation, command, out var firstAddedAt))
                return Affected(operation, command, token);
            token.ThrowIfCancellationRequested();
            if (TryAdd(command, CommandBehavior.Default, skipsRows: true, blocks: false, firstAddedAt) is not { } next)
                return await CommandRunner.NonQueryAsync(command, token, mayShare: false).ConfigureAwait(false);
            operation = next;
        }
    }

    /// <summary>Reads the rows that the lane has received.</summary>
    public static async Task<T> ReaderAsync<T>(
        PgDataReader? reader, IExecutable command, LaneOperation operation, CommandBehavior behavior, CancellationToken token)
        where T : DbDataReader
    {
        await operation.WaitAsync(token).ConfigureAwait(false);
        while (MustRunElsewhere(operation, command, out var firstAddedAt))
        {
            token.ThrowIfCancellationRequested();
            if (TryAdd(command, behavior, skipsRows: false, blocks: false, firstAddedAt) is not { } next)
                return await CommandRunner.ReaderAsync<T>(command, behavior, token, reader, mayShare: false).ConfigureAwait(false);
            operation = next;
            await operation.WaitAsync(token).ConfigureAwait(false);
        }
        reader = CommandRunner.Start(reader, command, operation.Exchange, behavior, token);
        // Mostly the whole answer has arrived, and nothing has to be waited for.
        if (operation.Exchange.IsOver && !StatementRun.MustLookUp(operation.Exchange.Query.Runs))
            return (T)(DbDataReader)reader.EnterFirst();
        return await reader.EnterFirstAsync<T>().ConfigureAwait(false);
    }

    /// <summary>Rents a session for the command's connection, and runs the command there.</summary>
    public static async Task<T> ReaderAfterBindAsync<T>(
        PgDataReader? reader, IExecutable command, CommandBehavior behavior, CancellationToken token)
        where T : DbDataReader
    {
        await CommandRunner.BindAsync(command, token).ConfigureAwait(false);
        return await CommandRunner.ReaderAsync<T>(command, behavior, token, reader).ConfigureAwait(false);
    }

    /// <summary>
    /// Whether the command has to begin once more elsewhere: it is a query behind one that takes long; or the connection was lost before a
    /// byte of it was sent; or its types are others now; or it looks like a query, but the server has found that it writes, and has undone
    /// it. Then it no longer counts as one.
    /// </summary>
    public static bool MustRunElsewhere(LaneOperation operation, IExecutable command, out long firstAddedAt)
    {
        firstAddedAt = 0;
        if (operation is { GoesElsewhere: false, HasTriedToWrite: false, HasOldTypes: false })
            return false;
        firstAddedAt = operation.FirstAddedAt;
        command.Execution.End();
        var error = operation.IsCancelled ? SessionErrors.GivenUp(StopReason.Cancel, CancellationToken.None) : null;
        if (error is not null)
            operation.Exchange.Trace?.End(error);
        operation.Exchange.Trace = null;
        operation.Exchange.EndCommand();
        return error is null ? true : throw error;
    }

    private static int Affected(LaneOperation operation, IExecutable command, CancellationToken token)
    {
        var exchange = operation.Exchange;
        var affected = exchange.Query.RecordsAffected();
        if (CommandRunner.End(command, exchange, token) is { } error)
            ExceptionDispatchInfo.Throw(error);
        return checked((int)affected);
    }

    // A command of a data source needs no connection for it.
    private static LaneSet? LanesOf(IExecutable command)
    {
        if (command.Connection is not { State: ConnectionState.Open } connection)
            return command.DataSource is { AmbientTransaction: null } source ? source.Lanes : null;
        if (connection is not { IsUnbound: true, HasListeners: false })
            return null;
        connection.CheckNoReader();
        return connection.Lanes;
    }

    private static bool IsOrdinary(IExecutable command, CommandBehavior behavior) =>
        (behavior & CommandBehavior.SchemaOnly) == 0
        && command is { HasOutputs: false, FetchSize: 0 }
        && command is not PgCommand { AllResultTypesAreUnknown: true } and not PgCommand { UnknownResultTypeList: not null };

    // A lane for queries has a setting of its own, by which a server that only reads is told from others.
    private static bool AreReads(ReadOnlySpan<StatementPlan> statements)
    {
        foreach (var statement in statements)
        {
            if (statement.Source is not { IsReadOnly: true, Writes: false, ShowsSettings: false })
                return false;
        }
        return true;
    }

    private static bool MayShare(
        ReadOnlySpan<StatementPlan> statements, CommandBehavior behavior, ServerSession session, ref PgOwnSessionReason reason)
    {
        var now = Environment.TickCount64;
        foreach (var statement in statements)
        {
            var source = statement.Source;
            if (source is not { CertainChange: SqlCertainChange.None, IsPlannable: true }
                || StatementChanges.Of(source, session) != SqlChanges.None)
                reason = PgOwnSessionReason.NotPlain;
            else if (statement.Prepared is not null || statements.Length > MostStatements
                || (source.HasLongRows && (behavior & CommandBehavior.SequentialAccess) != 0))
                reason = PgOwnSessionReason.Unsuited;
            else if (!source.AreColumnsKnown && source.MayReturnRows)
                reason = PgOwnSessionReason.FirstRun;
            else if (source.AvoidLanesUntil > now)
                reason = PgOwnSessionReason.Slow;
            else
                continue;
            return false;
        }
        return true;
    }
}
