using System.Runtime.ExceptionServices;
using Loxo.Commands;
using Loxo.Protocol;
using Loxo.Protocol.Frontend;
using Loxo.Session;

namespace Loxo.Copy;

/// <content>How a COPY ends: completed, given up, or with an error.</content>
internal sealed partial class CopyOperation
{
    /// <summary>Asks the server to stop, and returns when the copy has ended. Blocks.</summary>
    public void Cancel()
    {
        if (!_isEnded && !Imports)
            Session.Cancellation.Cancel(CommandNumber);
        Abort();
    }

    /// <inheritdoc cref="Cancel"/>
    public ValueTask CancelAsync()
    {
        if (!_isEnded && !Imports)
            Session.Cancellation.Cancel(CommandNumber);
        return AbortAsync();
    }

    /// <summary>
    /// Ends a copy that was not completed: nothing of an import stays. Blocks. Errors do not matter any more; if the connection is lost,
    /// its state says so.
    /// </summary>
    public void Abort()
    {
        if (_isEnded)
            return;
        try
        {
            if (BeginAbort())
                Session.Pump(Exchange, Timeout);
            else if (Session.State != SessionState.Broken)
                Session.Cancellation.Drain(Exchange, Exchange, Timeout, MayStop);
        }
        catch (Exception e) when (e is PgException or OperationCanceledException or InvalidOperationException)
        {
        }
        finally
        {
            Release();
            _transaction?.Dispose();
        }
    }

    /// <inheritdoc cref="Abort"/>
    public async ValueTask AbortAsync()
    {
        if (_isEnded)
            return;
        try
        {
            if (BeginAbort())
                await Session.PumpAsync(Exchange, Timeout, CancellationToken.None).ConfigureAwait(false);
            else if (Session.State != SessionState.Broken)
                await Session.Cancellation.DrainAsync(Exchange, Exchange, Timeout, MayStop).ConfigureAwait(false);
        }
        catch (Exception e) when (e is PgException or OperationCanceledException or InvalidOperationException)
        {
        }
        finally
        {
            Release();
            await RollBackAsync().ConfigureAwait(false);
        }
    }

    // True if CopyFail was written; otherwise what is left has to be skipped.
    private bool BeginAbort()
    {
        Exchange.Skips = true;
        if (!Imports || Session.State == SessionState.Broken)
            return false;
        Output.TakeBack(_messageStart);
        Output.WriteCopyFail(Reason);
        Exchange.IsEnding = true;
        return true;
    }

    // The copy has come to its end: throws its error, if there is one.
    private void Throw(CancellationToken token)
    {
        var error = ErrorOf(token);
        Release(error);
        if (error is not null)
            ExceptionDispatchInfo.Throw(error);
    }

    private Exception? ErrorOf(CancellationToken token)
    {
        if (Exchange.StoppedBeforeSent)
            return SessionErrors.StoppedBefore(Session.StopReason, token);
        return Exchange.Error is { } error
            ? CommandRunner.ErrorOf(Session, error, Session.StopReason, token, CopyStatement.RowOf(error, _kind))
            : null;
    }

    private void Release(Exception? error = null)
    {
        if (_isEnded)
            return;
        _isEnded = true;
        if (error is null)
            Session.Trace?.Statements?.Complete(0, (long)Exchange.Rows);
        Session.Trace?.End(error, Exchange.IsCopyingOut && error is null ? (long)Exchange.Rows : -1);
        Session.Trace = null;
        WhenEnded?.Invoke();
        Interlocked.CompareExchange(ref _connection.Extras.Copy, null, this);
        Session.Types.CommandWritten();
        // Last: from here on the session may be another connection's.
        Session.End();
        _connection.CommandEnded();
    }

    private static PgTransaction? TransactionFor(PgConnection connection, ServerSession session, CopyStatement statement) =>
        statement.Imports && connection.Enlisted is null && session is
        {
            IsPooledElsewhere: true,
            State: SessionState.Idle or SessionState.Unsettled,
            TransactionStatus: TransactionStatus.Idle,
            PendingBegin: null,
        }
            ? connection.BeginTransaction()
            : null;

    private ValueTask RollBackAsync() => _transaction?.DisposeAsync() ?? default;
}
