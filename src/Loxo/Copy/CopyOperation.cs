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
internal sealed partial class CopyOperation : IOpenOperation
{
    private const string Reason = "the client has cancelled the import";

    // A type byte and a length.
    private const int BackendHeader = 5;

    private readonly PgConnection _connection;
    private readonly CopyKind _kind;
    private readonly bool _mayStop;
    // Its own, in front of a pooler that would otherwise hand the server process on when a row is refused; null for none.
    private readonly PgTransaction? _transaction;
    private long _messageStart;
    private bool _isEnded;

    private CopyOperation(
        PgConnection connection, CopyExchange exchange, string sql, CopyKind kind, bool mayStop, PgTransaction? transaction)
    {
        (_connection, Exchange, _kind, _mayStop, _transaction) = (connection, exchange, kind, mayStop, transaction);
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

    /// <summary>Milliseconds that each wait may last; <see cref="System.Threading.Timeout.Infinite"/> for no limit.</summary>
    public int Timeout { get; set; }

    /// <summary>Tells this command from others of the session, for cancelling it and no other.</summary>
    public long CommandNumber { get; }

    /// <summary>Called when the copy has ended, however it did; null for nobody.</summary>
    public Action? WhenEnded { get; set; }

    private MessageWriter Output => Session.Output;

    private bool Imports => Exchange.IsCopyingIn;

    /// <summary>Blocks until the server is ready to copy.</summary>
    /// <exception cref="ArgumentException">The text is no such COPY.</exception>
    public static CopyOperation Begin(PgConnection connection, string sql, CopyKind kind)
    {
        var session = OwnSession.Of(connection, PgOwnSessionReason.Copy, sql);
        var statement = CopyStatement.Parse(connection, session, sql, kind);
        var transaction = TransactionFor(connection, session, statement);
        try
        {
            var exchange = session.Begin(connection, CopyStatement.Start, statement);
            var copy = new CopyOperation(connection, exchange, sql, kind, statement.MayBeStopped, transaction);
            var progress = copy.Pump();
            if (copy.Refusal(progress, CancellationToken.None) is { } refusal)
            {
                copy.Abort();
                ExceptionDispatchInfo.Throw(refusal);
            }
            return copy.Began();
        }
        catch
        {
            transaction?.Dispose();
            throw;
        }
    }

    /// <inheritdoc cref="Begin"/>
    public static async Task<CopyOperation> BeginAsync(PgConnection connection, string sql, CopyKind kind, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        await OwnSession.BindAsync(connection, PgOwnSessionReason.Copy, sql, token).ConfigureAwait(false);
        var session = OwnSession.Of(connection, PgOwnSessionReason.Copy, sql);
        var statement = CopyStatement.Parse(connection, session, sql, kind);
        var transaction = TransactionFor(connection, session, statement);
        try
        {
            var exchange = await session.BeginAsync(connection, CopyStatement.Start, statement).ConfigureAwait(false);
            var copy = new CopyOperation(connection, exchange, sql, kind, statement.MayBeStopped, transaction);
            var progress = await copy.PumpAsync(token).ConfigureAwait(false);
            if (copy.Refusal(progress, token) is { } refusal)
            {
                await copy.AbortAsync().ConfigureAwait(false);
                ExceptionDispatchInfo.Throw(refusal);
            }
            return copy.Began();
        }
        catch
        {
            if (transaction is not null)
                await transaction.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Blocks until what was written has been sent. An error of the server ends the copy.</summary>
    public void Send()
    {
        Output.End();
        try
        {
            if (MayGoOn(Pump(), CancellationToken.None))
                return;
            WriteFail(CancellationToken.None);
            Pump();
            Throw(CancellationToken.None);
        }
        catch
        {
            _transaction?.Dispose();
            throw;
        }
    }

    /// <inheritdoc cref="Send"/>
    public async ValueTask SendAsync(CancellationToken token)
    {
        Output.End();
        try
        {
            if (MayGoOn(await PumpAsync(token).ConfigureAwait(false), token))
                return;
            WriteFail(token);
            await PumpAsync(CancellationToken.None).ConfigureAwait(false);
            Throw(token);
        }
        catch
        {
            await RollBackAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Blocks until the server has copied everything. Returns the number of rows.</summary>
    public ulong Complete()
    {
        try
        {
            WriteDone();
            Pump();
            Throw(CancellationToken.None);
            _transaction?.Commit();
        }
        catch
        {
            _transaction?.Dispose();
            throw;
        }
        return Exchange.Rows;
    }

    /// <inheritdoc cref="Complete"/>
    public async ValueTask<ulong> CompleteAsync(CancellationToken token)
    {
        try
        {
            WriteDone();
            await PumpAsync(token).ConfigureAwait(false);
            Throw(token);
            if (_transaction is not null)
                await _transaction.CommitAsync(token).ConfigureAwait(false);
        }
        catch
        {
            await RollBackAsync().ConfigureAwait(false);
            throw;
        }
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
        Output.WriteCopyFail(Reason);
        Exchange.IsEnding = true;
    }

    private void WriteDone()
    {
        EndMessage();
        Output.WriteCopyDone();
        Exchange.IsEnding = true;
    }

    private void EndMessage()
    {
        if (Output.Position == _messageStart + BackendHeader)
            Output.TakeBack(_messageStart);
        else
            Output.End();
    }
}
