using System.Data;
using System.Data.Common;
using Loxo.Commands;
using Loxo.Diagnostics;
using Loxo.Session;
using Loxo.Sql;
using Microsoft.Extensions.Logging;

namespace Loxo;

/// <summary>
/// A transaction of a connection. Its BEGIN costs nothing: it travels with the first command. Disposing it before
/// <see cref="Commit"/> rolls it back.
/// </summary>
/// <exception cref="InvalidOperationException">Any member that talks to the server: the transaction is over.</exception>
/// <exception cref="PgException">Any member that talks to the server: it refused, another command runs, or the network failed.</exception>
public sealed class PgTransaction : DbTransaction
{
    private readonly PgConnection _connection;
    private readonly ServerSession _session;
    private readonly ILogger _log;
    private bool _isCompleted;
    private bool _isDisposed;

    internal PgTransaction(PgConnection connection, ServerSession session, IsolationLevel isolationLevel)
    {
        (_connection, _session, IsolationLevel) = (connection, session, isolationLevel);
        _log = connection.Source!.TransactionLogger;
        if (_log.IsEnabled(LogLevel.Debug))
            TransactionLog.Begun(_log, session.ProcessId, isolationLevel.ToString());
    }

    /// <summary>The connection; null when the transaction is over, unless <c>Compatibility=Npgsql</c>.</summary>
    public new PgConnection? Connection => IsCompleted && !_session.Context.Settings.IsLikeNpgsql ? null : _connection;

    /// <summary>The isolation level that was asked for; ReadCommitted if none was.</summary>
    public override IsolationLevel IsolationLevel { get; }

    /// <summary>True.</summary>
    public override bool SupportsSavepoints => true;

    /// <summary>Whether the transaction has been committed or rolled back, by us or by SQL of the user's.</summary>
    internal bool IsCompleted => _isCompleted || _session is
    {
        State: SessionState.Idle or SessionState.Unsettled,
        PendingBegin: null,
        TransactionStatus: Protocol.TransactionStatus.Idle,
    };

    /// <inheritdoc/>
    protected override DbConnection? DbConnection => Connection;

    /// <summary>Commits.</summary>
    /// <exception cref="PgException">
    /// A statement had failed, so the server has rolled the transaction back instead; not with
    /// <c>Compatibility=Npgsql</c>. Or the connection was lost before the server's
    /// answer, so that the outcome is not known: <see cref="PgErrorCode.CommitOutcomeUnknown"/>.
    /// </exception>
    /// <exception cref="InvalidOperationException">The transaction is over.</exception>
    public override void Commit()
    {
        Check();
        if (!TakeBackBegin())
            CheckCommitted(OwnCommand.Run(_connection, OwnCommand.Commit, completes: this));
    }

    /// <inheritdoc cref="Commit"/>
    public override async Task CommitAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        Check();
        if (!TakeBackBegin())
            CheckCommitted(await OwnCommand.RunAsync(_connection, OwnCommand.Commit, this, cancellationToken).ConfigureAwait(false));
    }

    /// <summary>Rolls back.</summary>
    /// <exception cref="InvalidOperationException">The transaction is over.</exception>
    public override void Rollback()
    {
        Check();
        if (!TakeBackBegin())
            OwnCommand.Run(_connection, "ROLLBACK", completes: this);
        TransactionLog.RolledBack(_log, _session.ProcessId);
    }

    /// <inheritdoc cref="Rollback()"/>
    public override async Task RollbackAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        Check();
        if (!TakeBackBegin())
            await OwnCommand.RunAsync(_connection, "ROLLBACK", this, cancellationToken).ConfigureAwait(false);
        TransactionLog.RolledBack(_log, _session.ProcessId);
    }

    /// <summary>Sets a savepoint.</summary>
    /// <param name="savepointName">Any name; it is quoted.</param>
    /// <exception cref="ArgumentException">The name is empty, contains NUL, or is not valid UTF-16.</exception>
    public override void Save(string savepointName) => RunOwn("SAVEPOINT ", savepointName);

    /// <inheritdoc cref="Save"/>
    public override Task SaveAsync(string savepointName, CancellationToken cancellationToken = default) =>
        RunOwnAsync("SAVEPOINT ", savepointName, cancellationToken);

    /// <summary>Rolls back to a savepoint, which stays set.</summary>
    /// <param name="savepointName">As given to <see cref="Save"/>.</param>
    /// <exception cref="ArgumentException">The name is empty, contains NUL, or is not valid UTF-16.</exception>
    public override void Rollback(string savepointName)
    {
        RunOwn("ROLLBACK TO SAVEPOINT ", savepointName);
        _session.Types.RolledBackInPart();
    }

    /// <inheritdoc cref="Rollback(string)"/>
    public override async Task RollbackAsync(string savepointName, CancellationToken cancellationToken = default)
    {
        await RunOwnAsync("ROLLBACK TO SAVEPOINT ", savepointName, cancellationToken).ConfigureAwait(false);
        _session.Types.RolledBackInPart();
    }

    /// <summary>Forgets a savepoint; what happened since stays.</summary>
    /// <param name="savepointName">As given to <see cref="Save"/>.</param>
    /// <exception cref="ArgumentException">The name is empty, contains NUL, or is not valid UTF-16.</exception>
    public override void Release(string savepointName) => RunOwn("RELEASE SAVEPOINT ", savepointName);

    /// <inheritdoc cref="Release"/>
    public override Task ReleaseAsync(string savepointName, CancellationToken cancellationToken = default) =>
        RunOwnAsync("RELEASE SAVEPOINT ", savepointName, cancellationToken);

    /// <summary>
    /// Rolls back unless it was committed. An open reader is closed first. ROLLBACK is sent at once; the server's answer is taken with that
    /// of the next command, so that nobody waits for it.
    /// </summary>
    public override async ValueTask DisposeAsync()
    {
        if (!BeginDispose())
            return;
        await ReaderRunner.CloseAsync(_connection.Reader).ConfigureAwait(false);
        if (IsCompleted)
            return; // the reader has closed the connection
        try
        {
            if (_session.State != SessionState.Broken && !TakeBackBegin())
                await _connection.DeferRollbackAsync().ConfigureAwait(false);
        }
        catch (PgException) when (_session.State == SessionState.Broken)
        {
            // The server has rolled back, and the next use of the connection says that it is lost.
        }
        TransactionLog.RolledBack(_log, _session.ProcessId);
        Complete();
    }

    internal void Complete()
    {
        _isCompleted = true;
        _connection.TransactionEnded(this);
    }

    /// <inheritdoc cref="DisposeAsync"/>
    protected override void Dispose(bool disposing)
    {
        if (!disposing || !BeginDispose())
            return;
        ReaderRunner.Close(_connection.Reader);
        if (IsCompleted)
            return; // the reader has closed the connection
        try
        {
            if (_session.State != SessionState.Broken && !TakeBackBegin())
                _connection.DeferRollback();
        }
        catch (PgException) when (_session.State == SessionState.Broken)
        {
            // As in DisposeAsync.
        }
        TransactionLog.RolledBack(_log, _session.ProcessId);
        Complete();
    }

    private void CheckCommitted(string tag)
    {
        if (tag == "ROLLBACK" && !_session.Context.Settings.IsLikeNpgsql)
            throw TransactionText.NotCommitted();
        TransactionLog.Committed(_log, _session.ProcessId);
    }

    private bool BeginDispose()
    {
        var mustRollBack = !_isDisposed && !IsCompleted;
        _isDisposed = true;
        return mustRollBack;
    }

    private void Check()
    {
        ObjectDisposedException.ThrowIf(_isDisposed && IsCompleted, this);
        if (IsCompleted)
            throw new InvalidOperationException("The transaction has been committed or rolled back already; begin another.");
    }

    // No command has run since BeginTransaction: the server has never heard of the transaction.
    private bool TakeBackBegin()
    {
        if (_session.PendingBegin is null)
            return false;
        _session.ExchangeBegin(_connection, null);
        Complete();
        return true;
    }

    private void RunOwn(string verb, string savepointName)
    {
        Check();
        var begin = TakeBegin();
        try
        {
            OwnCommand.Run(_connection, verb + SqlIdentifier.Quote(savepointName), completes: null, begin);
        }
        finally
        {
            StayDue(begin);
        }
    }

    private async Task RunOwnAsync(string verb, string savepointName, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        Check();
        var begin = TakeBegin();
        try
        {
            await OwnCommand.RunAsync(_connection, verb + SqlIdentifier.Quote(savepointName), null, token, begin).ConfigureAwait(false);
        }
        finally
        {
            StayDue(begin);
        }
    }

    private string? TakeBegin() => _session.PendingBegin is null ? null : _session.ExchangeBegin(_connection, null);

    // A BEGIN that did not run is still due: without it the next command would run outside of any transaction.
    private void StayDue(string? begin)
    {
        if (begin is not null && _session is { TransactionStatus: Protocol.TransactionStatus.Idle, State: not SessionState.Broken })
            _session.ExchangeBegin(_connection, begin);
    }
}
