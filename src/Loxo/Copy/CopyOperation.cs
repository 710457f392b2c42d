using System.Runtime.ExceptionServices;
using Loxo.Commands;
using Loxo.Protocol;
using Loxo.Protocol.Frontend;
using Loxo.Session;
using Loxo.Sql;

namespace Loxo.Copy;

/// <summary>
/// A COPY in progress: pumps its exchange and ends it. The blocking and the asynchronous form differ only in the pump. While data is copied
/// in, a CopyData is always being written.
/// </summary>
internal sealed class CopyOperation : IOpenOperation
{
    // A type byte and a length.
    private const int BackendHeader = 5;

    private readonly PgConnection _connection;
    private readonly CopyKind _kind;
    private readonly bool _mayStop;
    private long _messageStart;
    private bool _isEnded;

    private CopyOperation(PgConnection connection, CopyExchange exchange, string sql, CopyKind kind, bool mayStop)
    {
        (_connection, Exchange, _kind, _mayStop) = (connection, exchange, kind, mayStop);
        Session.Trace = CommandTracing.BeginCopy(connection, Session, sql);
        Timeout = connection.OwnTimeout;
        CommandNumber = Session.CommandNumber;
        connection.Extras.Copy = this;
    }

    /// <summary>The COPY itself.</summary>
    public CopyExchange Exchange { get; }

    /// <summary>Where it runs.</summary>
    public ServerSession Session => Exchange.Session;

    /// <summary>Whether the copy has not been completed, cancelled or ended by an error.</summary>
    public bool IsOpen => !_isEnded;

    /// <summary>Whether all of it was copied, and it has not been disposed since: what ends otherwise must not look complete.</summary>
    public bool IsComplete { get; private set; }

    /// <summary>Admits one call at a time, of those that write or end the copy.</summary>
    public CallGuard Guard { get; } = new();

    /// <inheritdoc/>
    public bool IsInUse => Guard.IsHeld || IsWaiting;

    /// <summary>Milliseconds that each wait may last; <see cref="System.Threading.Timeout.Infinite"/> for no limit.</summary>
    public int Timeout { get; set; }

    /// <summary>Tells this command from others of the session, for cancelling it and no other.</summary>
    public long CommandNumber { get; }

    /// <summary>Called when the copy has ended, however it did; null for nobody.</summary>
    public Action? WhenEnded { get; set; }

    private bool IsWaiting => Session.Wire.IsInUse;
    private MessageWriter Output => Session.Output;

    private bool Imports => Exchange.IsCopyingIn;

    /// <summary>Blocks until the server is ready to copy.</summary>
    /// <exception cref="ArgumentException">The text is no such COPY.</exception>
    public static CopyOperation Begin(PgConnection connection, string sql, CopyKind kind)
    {
        var session = OwnSession.Of(connection, PgOwnSessionReason.Copy, sql);
        var statement = CopyStatement.Parse(connection, session, sql, kind);
        var exchange = session.Begin(connection, CopyStatement.Start, statement);
        var copy = new CopyOperation(connection, exchange, sql, kind, statement.MayBeStopped);
        var progress = copy.Pump();
        if (copy.Refusal(progress, CancellationToken.None) is { } refusal)
        {
            copy.Abort();
            ExceptionDispatchInfo.Throw(refusal);
        }
        return copy.Began();
    }

    /// <inheritdoc cref="Begin"/>
    public static async Task<CopyOperation> BeginAsync(PgConnection connection, string sql, CopyKind kind, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        await OwnSession.BindAsync(connection, PgOwnSessionReason.Copy, sql, token).ConfigureAwait(false);
        var session = OwnSession.Of(connection, PgOwnSessionReason.Copy, sql);
        var statement = CopyStatement.Parse(connection, session, sql, kind);
        var exchange = await session.BeginAsync(connection, CopyStatement.Start, statement).ConfigureAwait(false);
        var copy = new CopyOperation(connection, exchange, sql, kind, statement.MayBeStopped);
        var progress = await copy.PumpAsync(token).ConfigureAwait(false);
        if (copy.Refusal(progress, token) is { } refusal)
        {
            await copy.AbortAsync().ConfigureAwait(false);
            ExceptionDispatchInfo.Throw(refusal);
        }
        return copy.Began();
    }

    /// <summary>Blocks until what was written has been sent. An error of the server ends the copy.</summary>
    public void Send()
    {
        Output.End();
        if (!MayGoOn(Pump(), CancellationToken.None))
        {
            WriteFail(CancellationToken.None);
            Pump();
            Throw(CancellationToken.None);
        }
    }

    /// <inheritdoc cref="Send"/>
    public async ValueTask SendAsync(CancellationToken token)
    {
        Output.End();
        if (!MayGoOn(await PumpAsync(token).ConfigureAwait(false), token))
        {
            WriteFail(token);
            try
            {
                await PumpAsync(CancellationToken.None).ConfigureAwait(false);
            }
            catch (OperationCanceledException e) when (token.IsCancellationRequested)
            {
                throw new OperationCanceledException(e.Message, e.InnerException, token);
            }
            Throw(token);
        }
    }

    /// <summary>Blocks until the server has copied everything. Returns the number of rows.</summary>
    public ulong Complete()
    {
        WriteDone();
        Pump();
        Throw(CancellationToken.None);
        return Exchange.Rows;
    }

    /// <inheritdoc cref="Complete"/>
    public async ValueTask<ulong> CompleteAsync(CancellationToken token)
    {
        WriteDone();
        await PumpAsync(token).ConfigureAwait(false);
        Throw(token);
        return Exchange.Rows;
    }

    /// <summary>Blocks until data has arrived. False if there is no more.</summary>
    public bool Fill()
    {
        if (Pump() == Progress.Row)
            return true;
        Throw(CancellationToken.None);
        return false;
    }

    /// <inheritdoc cref="Fill"/>
    public async ValueTask<bool> FillAsync(CancellationToken token)
    {
        if (await PumpAsync(token).ConfigureAwait(false) == Progress.Row)
            return true;
        Throw(token);
        return false;
    }

    /// <summary>
    /// Asks the server to stop, and returns when the copy has ended. Blocks. While another thread waits for the copy, that one ends it.
    /// </summary>
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
    /// its state says so. Does nothing while another call is at work.
    /// </summary>
    public void Abort()
    {
        IsComplete = false;
        if (_isEnded || Guard.TryEnter() is not { } call)
            return;
        try
        {
            AbortInside();
        }
        finally
        {
            call.Exit();
        }
    }

    /// <inheritdoc cref="Abort"/>
    public async ValueTask AbortAsync()
    {
        IsComplete = false;
        if (_isEnded || Guard.TryEnter() is not { } call)
            return;
        try
        {
            await AbortInsideAsync().ConfigureAwait(false);
        }
        finally
        {
            call.Exit();
        }
    }

    /// <summary><see cref="Abort"/>, by the call that is at work.</summary>
    public void AbortInside()
    {
        if (_isEnded || IsWaiting)
            return;
        try
        {
            if (BeginAbort())
                Session.Pump(Exchange, Timeout);
            else if (Session.State != SessionState.Broken)
                Session.Cancellation.Drain(Exchange, Exchange, Timeout, MayStop);
        }
        catch (Exception e) when (e is PgException or OperationCanceledException or InvalidOperationException) { }
        finally
        {
            Release();
        }
    }

    /// <inheritdoc cref="AbortInside"/>
    public async ValueTask AbortInsideAsync()
    {
        if (_isEnded || IsWaiting)
            return;
        try
        {
            if (BeginAbort())
                await Session.PumpAsync(Exchange, Timeout, CancellationToken.None).ConfigureAwait(false);
            else if (Session.State != SessionState.Broken)
                await Session.Cancellation.DrainAsync(Exchange, Exchange, Timeout, MayStop).ConfigureAwait(false);
        }
        catch (Exception e) when (e is PgException or OperationCanceledException or InvalidOperationException) { }
        finally
        {
            Release();
        }
    }

    // A statement that was cancelled within a transaction makes the transaction fail.
    private bool MayStop => _mayStop && Exchange.Begun is null && Session.TransactionStatus == TransactionStatus.Idle;

    private Progress Pump()
    {
        try
        {
            return Session.Pump(Exchange, Timeout);
        }
        catch
        {
            Release();
            throw;
        }
    }

    private async ValueTask<Progress> PumpAsync(CancellationToken token)
    {
        try
        {
            return await Session.PumpAsync(Exchange, Timeout, token).ConfigureAwait(false);
        }
        catch
        {
            Release();
            throw;
        }
    }

    // The exception to throw instead of copying; null if the server copies as the caller wants it to.
    private Exception? Refusal(Progress progress, CancellationToken token)
    {
        if (progress == Progress.Done)
        {
            var error = ErrorOf(token) ?? CopyErrors.NoTransfer();
            Release(error);
            return error;
        }
        if (Session.StopReason != StopReason.None)
            return CopyStatement.Stopped(Session.StopReason, token);
        if (!CopyStatement.Fits(_kind, Exchange))
            return CopyErrors.WrongTransfer("copyCommand", _kind, Exchange);
        return Exchange.Columns.Count is > 0 and var known && known != Exchange.ColumnCount && Exchange.IsBinary
            ? CopyErrors.ColumnsDisagree(known, Exchange.ColumnCount)
            : null;
    }

    private CopyOperation Began()
    {
        if (Imports)
            BeginMessage();
        return this;
    }

    private void BeginMessage()
    {
        _messageStart = Output.Position;
        Output.Begin(FrontendMessage.CopyData);
    }

    // False if a stop was requested although everything has been sent: the import ends then.
    private bool MayGoOn(Progress progress, CancellationToken token)
    {
        if (progress == Progress.Sent && Session.StopReason == StopReason.None)
        {
            BeginMessage();
            return true;
        }
        if (progress != Progress.Sent)
            Throw(token);
        return false;
    }

    private void WriteFail(CancellationToken token)
    {
        if (_isEnded)
            throw ErrorOf(token) ?? CopyErrors.Ended(nameof(PgConnection));
        Exchange.WriteFail(CopyErrors.Cancelled);
    }

    private void WriteDone()
    {
        EndMessage();
        Exchange.WriteDone();
    }

    private void EndMessage()
    {
        if (Output.Position == _messageStart + BackendHeader)
            Output.TakeBack(_messageStart);
        else
            Output.End();
    }

    // True if CopyFail was written; otherwise what is left has to be skipped.
    private bool BeginAbort()
    {
        Exchange.Skips = true;
        if (!Imports || Session.State == SessionState.Broken)
            return false;
        Output.TakeBack(_messageStart);
        Exchange.WriteFail(CopyErrors.Cancelled);
        return true;
    }

    // The copy has come to its end: throws its error, if there is one.
    private void Throw(CancellationToken token)
    {
        var error = ErrorOf(token);
        Release(error);
        if (error is not null)
            ExceptionDispatchInfo.Throw(error);
        IsComplete = true;
    }

    private Exception? ErrorOf(CancellationToken token)
    {
        if (Exchange.StoppedBeforeSent)
            return SessionErrors.StoppedBefore(Session.StopReason, token);
        return Exchange.Error is { } error
            ? CommandRunner.ErrorOf(Session, error, Session.StopReason, token, CopyStatement.RowOf(error, _kind))
            : null;
    }

    // Not by a thread that finds another one waiting: until that one has ended the copy, the session is nobody else's.
    private void Release(Exception? error = null)
    {
        if (_isEnded || IsWaiting)
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
}
