using System.Data;
using Loxo.Pool;
using Loxo.Pooling;
using Loxo.Session;

namespace Loxo;

// Opening and closing: with a pool, taking a session from it and giving it back.
public sealed partial class PgConnection
{
    /// <summary>Connects and logs in, blocking.</summary>
    /// <exception cref="PgException">It did not work; the message says what to change.</exception>
    /// <exception cref="PostgresException">The server refused: unknown database, wrong password, too many connections.</exception>
    public override void Open()
    {
        var source = BeginOpen();
        try
        {
            if (source.Pool is { } pool)
                Opened(pool.Rent());
            else
                Opened(source.OpenSession());
        }
        catch (PoolExhaustedException e)
        {
            throw SessionPool.Exhausted(e);
        }
        finally
        {
            _isOpening = false;
        }
        OnStateChange(ClosedToOpen);
    }

    /// <inheritdoc cref="Open"/>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public override Task OpenAsync(CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
            return Task.FromCanceled(cancellationToken);
        PgDataSource source;
        try
        {
            source = BeginOpen();
        }
        catch (Exception e)
        {
            return Task.FromException(e);
        }
        if (source.Pool is not { } pool)
            return OpenUnpooledAsync(source, cancellationToken);
        try
        {
            var renting = pool.RentAsync(cancellationToken);
            if (!renting.IsCompletedSuccessfully)
                return OpenAfterRentAsync(renting);
            // An idle session was there: no task is made.
            Opened(renting.Result);
            _isOpening = false;
            OnStateChange(ClosedToOpen);
            return Task.CompletedTask;
        }
        catch (Exception e)
        {
            _isOpening = false;
            return Task.FromException(e);
        }
    }

    /// <summary>
    /// Closes: the session goes back to the pool. An open reader is closed, an open transaction is rolled back, and a command that still runs on
    /// another thread ends with an error. Closing twice does nothing.
    /// </summary>
    public override void Close()
    {
        if (_session is null)
            return;
        if (MustReadOn)
        {
            Reader!.Abandon();
            if (_rental.IsValid)
                SessionUpkeep.Abandon(_session);
        }
        EndClose();
    }

    /// <inheritdoc cref="Close"/>
    public override Task CloseAsync()
    {
        if (_session is null)
            return Task.CompletedTask;
        if (MustReadOn)
            return CloseAfterReaderAsync();
        EndClose();
        return Task.CompletedTask;
    }

    private PgDataSource BeginOpen()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        if (_session is { State: SessionState.Broken })
            Close();
        CheckClosed();
        var source = _dataSource ?? throw new InvalidOperationException("The connection has no connection string: set ConnectionString.");
        // To go on would run outside of the transaction what the caller believes to be inside.
        if (source.Settings.Enlist && System.Transactions.Transaction.Current is not null)
            throw new NotSupportedException(
                "A TransactionScope is active, and joining it is not supported yet. Use BeginTransaction, or set 'Enlist=false' to open the connection outside of it.");
        _isOpening = true;
        return source;
    }

    private async Task OpenUnpooledAsync(PgDataSource source, CancellationToken token)
    {
        try
        {
            Opened(await source.OpenSessionAsync(token).ConfigureAwait(false));
        }
        finally
        {
            _isOpening = false;
        }
        OnStateChange(ClosedToOpen);
    }

    private async Task OpenAfterRentAsync(ValueTask<Rental<ServerSession>> renting)
    {
        try
        {
            Opened(await renting.ConfigureAwait(false));
        }
        catch (PoolExhaustedException e)
        {
            throw SessionPool.Exhausted(e);
        }
        finally
        {
            _isOpening = false;
        }
        OnStateChange(ClosedToOpen);
    }

    // What is left of a result is read before the session goes back to the pool, or the next to have it would find it.
    private bool MustReadOn => Reader is { IsClosed: false } && _session is { State: not SessionState.Broken };

    private async Task CloseAfterReaderAsync()
    {
        Reader!.Abandon();
        if (_rental.IsValid)
            await SessionUpkeep.AbandonAsync(_session!).ConfigureAwait(false);
        EndClose();
    }

    private async ValueTask DisposeAfterReaderAsync()
    {
        await CloseAfterReaderAsync().ConfigureAwait(false);
        Dispose();
    }

    private void EndClose()
    {
        // A reader that closes its connection has been here before.
        if (_session is not { } session)
            return;
        _session = null;
        Reader?.Abandon();
        Reader = null;
        _transaction?.Complete();
        if (_rental.IsValid)
            _dataSource!.Pool!.Return(_rental);
        else
            session.Dispose();
        _rental = default;
        OnStateChange(OpenToClosed);
    }

    private void Opened(Rental<ServerSession> rental)
    {
        _rental = rental;
        Opened(rental.Resource);
    }

    private void Opened(ServerSession session)
    {
        session.HandOver(this);
        _session = session;
        _wasOpened = true;
    }
}
