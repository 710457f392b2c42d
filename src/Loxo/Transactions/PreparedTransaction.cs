using Loxo.Diagnostics;
using Loxo.Session;
using Loxo.Transport;

namespace Loxo.Transactions;

/// <summary>
/// A transaction that the server keeps under a name between the two phases of a commit. Its outcome may be told to the server by any
/// session of the database: the one that has prepared it, or a new one if that was lost.
/// </summary>
internal sealed class PreparedTransaction
{
    // About five minutes.
    private const int MostAttempts = 14;
    private static readonly TimeSpan _longestPause = TimeSpan.FromSeconds(30);
    private static long _lastNumber;

    private readonly PgDataSource _source;
    private readonly string _id;
    private readonly int _processId;
    private SessionChanges _changes;
    private bool _isKnown;

    /// <summary>Names the transaction; nothing is sent.</summary>
    /// <param name="source">Where sessions come from.</param>
    /// <param name="transaction">The transaction's identifier, which no other process gives.</param>
    /// <param name="session">The session to be prepared.</param>
    public PreparedTransaction(PgDataSource source, string transaction, ServerSession session)
    {
        _source = source;
        // Several sessions of one server may take part, and behind a pooler their process ids tell nothing.
        _id = string.Create(CultureInfo.InvariantCulture, $"{transaction}/{Interlocked.Increment(ref _lastNumber)}");
        _processId = session.ProcessId;
    }

    private TimeSpan Limit => _source.Settings.Session.CommandTimeout;

    /// <summary>First phase. False if a statement had failed, so that the server has rolled back.</summary>
    /// <exception cref="PgException">
    /// It is not prepared. If the connection was lost, the server may have prepared it, which is rolled back in the background.
    /// </exception>
    public bool Prepare(ServerSession session)
    {
        _changes = session.Effects.OfTransaction;
        var wasSent = false;
        try
        {
            return _isKnown = EndingCommand.Run(session, $"PREPARE TRANSACTION '{_id}'", Limit, ref wasSent) == "PREPARE TRANSACTION";
        }
        catch (PostgresException e) when (session.State != SessionState.Broken)
        {
            throw e.SqlState == SqlStates.ObjectNotInPrerequisiteState ? EnlistmentErrors.NoPreparedTransactions(e) : e;
        }
        catch (Exception) when (wasSent && session.State == SessionState.Broken)
        {
            _ = EndLaterAsync(isCommit: false);
            throw;
        }
    }

    /// <summary>Second phase, blocking. If the server cannot be reached it goes on in the background.</summary>
    public void Commit(ServerSession session) => End(session, isCommit: true);

    /// <inheritdoc cref="Commit"/>
    public void RollBack(ServerSession session) => End(session, isCommit: false);

    /// <summary>The outcome is not known to anybody: the transaction stays prepared.</summary>
    public void Leave() => TransactionLog.LeftInDoubt(_source.TransactionLogger, _id);

    private void End(ServerSession session, bool isCommit)
    {
        if (TryEnd(session, isCommit))
            return;
        try
        {
            using var spare = SessionOpener.Open(_source.Context, _source.Settings.Session.OpenTimeout);
            if (TryEnd(spare, isCommit))
                return;
        }
        catch (Exception e) when (IsExpected(e))
        {
            // As below.
        }
        _ = EndLaterAsync(isCommit);
    }

    private bool TryEnd(ServerSession session, bool isCommit)
    {
        var wasSent = false;
        try
        {
            Announce(session, isCommit);
            EndingCommand.Run(session, Sql(isCommit), Limit, ref wasSent);
            return true;
        }
        catch (PostgresException e) when (IsGone(e))
        {
            return true;
        }
        catch (Exception e) when (IsExpected(e))
        {
            return false;
        }
    }

    private async Task EndLaterAsync(bool isCommit)
    {
        Exception? error = null;
        var pause = TimeSpan.FromMilliseconds(100);
        for (var attempt = 0; attempt < MostAttempts; attempt++)
        {
            try
            {
                if (await TryEndElsewhereAsync(isCommit).ConfigureAwait(false))
                    return;
            }
            catch (Exception e) when (IsExpected(e))
            {
                error = e;
            }
            await Task.Delay(pause, _source.Context.Time).ConfigureAwait(false);
            pause = pause * 2 < _longestPause ? pause * 2 : _longestPause;
        }
        TransactionLog.NotEnded(_source.TransactionLogger, _id, Sql(isCommit), error);
    }

    private async ValueTask<bool> TryEndElsewhereAsync(bool isCommit)
    {
        using var spare = await SessionOpener.OpenAsync(_source.Context, _source.Settings.Session.OpenTimeout, CancellationToken.None)
            .ConfigureAwait(false);
        // A process that still runs may be about to prepare it. Asked first: it may end right after it was found.
        var mayCome = !_isKnown && await IsRunningAsync(spare).ConfigureAwait(false);
        Announce(spare, isCommit);
        try
        {
            await EndingCommand.RunAsync(spare, Sql(isCommit), Limit).ConfigureAwait(false);
            return true;
        }
        catch (PostgresException e) when (IsGone(e))
        {
            return !mayCome;
        }
    }

    private async ValueTask<bool> IsRunningAsync(ServerSession spare)
    {
        var isRunning = true;
        var sql = string.Create(CultureInfo.InvariantCulture, $"SELECT 1 FROM pg_catalog.pg_stat_activity WHERE pid = {_processId}");
        await spare.BeginAsync(owner: null, (session, sql) => Ask(session, sql, found => isRunning = found), sql).ConfigureAwait(false);
        await spare.Deferred.TakeAsync(Deadline.In(Limit, _source.Context.Time), CancellationToken.None).ConfigureAwait(false);
        return isRunning;
    }

    private static bool Ask(ServerSession session, string sql, Action<bool> answered)
    {
        session.Deferred.Write(sql, (row, error) => answered(row is not null || error is not null));
        return session.Deferred.Send();
    }

    // What was defined in it becomes visible now.
    private void Announce(ServerSession session, bool isCommit)
    {
        if (isCommit && _changes != SessionChanges.None && session.State != SessionState.Broken)
            session.Effects.Add(_changes);
    }

    // Somebody has ended it by hand, or the answer to an earlier attempt was lost.
    private static bool IsGone(PostgresException e) => e.SqlState == SqlStates.UndefinedObject;

    private static bool IsExpected(Exception e) => e is PgException or OperationCanceledException or IOException or TimeoutException;

    private string Sql(bool isCommit) => (isCommit ? "COMMIT PREPARED '" : "ROLLBACK PREPARED '") + _id + "'";
}
