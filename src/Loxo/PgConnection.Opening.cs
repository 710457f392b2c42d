using Loxo.Commands;
using Loxo.Copy;
using Loxo.Pool;
using Loxo.Pooling;
using Loxo.Protocol.Authentication;
using Loxo.Session;
using Loxo.Transactions;

namespace Loxo;

// Opening and closing: with a pool, taking a session from it and giving it back. In between, COPY and waiting for messages.
/// <exception cref="InvalidOperationException">
/// Any member that needs an open connection: it is not open, or it has been disposed (<see cref="ObjectDisposedException"/>).
/// </exception>
/// <exception cref="PgException">
/// Any member that talks to the server: a command runs already, or the network or the server failed.
/// </exception>
public sealed partial class PgConnection
{
    /// <summary>Connects and logs in, blocking.</summary>
    /// <exception cref="PgException">It did not work; the message says what to change.</exception>
    /// <exception cref="PostgresException">The server refused: unknown database, wrong password, too many connections.</exception>
    public override void Open() => ConnectionOpener.Run(this);

    /// <inheritdoc cref="Open"/>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public override Task OpenAsync(CancellationToken cancellationToken) => ConnectionOpener.RunAsync(this, cancellationToken);

    /// <summary>
    /// Waits until the server sends a notice or a notification, and returns when <see cref="Notice"/> or <see cref="Notification"/> has
    /// been raised for it. Others that have arrived with it may be raised, too, or by the next call.
    /// </summary>
    /// <param name="timeout">Milliseconds; 0 and -1 for no limit.</param>
    /// <returns>False when the time was over before. The connection can be used.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative and not -1 milliseconds, or longer than 24 days.</exception>
    /// <exception cref="PgException">A command is running, the connection is lost, or a pooler is in between ('Pooler').</exception>
    public bool Wait(int timeout) => MessageWait.Run(this, timeout);

    /// <inheritdoc cref="Wait(int)"/>
    public bool Wait(TimeSpan timeout) => MessageWait.Run(this, MessageWait.Milliseconds(timeout));

    /// <inheritdoc cref="Wait(int)"/>
    public void Wait() => MessageWait.Run(this, Timeout.Infinite);

    /// <inheritdoc cref="Wait(int)"/>
    /// <exception cref="OperationCanceledException">The token was cancelled. The connection can be used.</exception>
    public Task<bool> WaitAsync(int timeout, CancellationToken cancellationToken = default) =>
        MessageWait.RunAsync(this, timeout, cancellationToken);

    /// <inheritdoc cref="WaitAsync(int, CancellationToken)"/>
    public Task<bool> WaitAsync(TimeSpan timeout, CancellationToken cancellationToken = default) =>
        MessageWait.RunAsync(this, MessageWait.Milliseconds(timeout), cancellationToken);

    /// <inheritdoc cref="WaitAsync(int, CancellationToken)"/>
    public Task WaitAsync(CancellationToken cancellationToken = default) => MessageWait.RunAsync(this, Timeout.Infinite, cancellationToken);

    /// <summary>
    /// Closes: the session goes back to the pool. An open reader is closed, an open transaction is rolled back, and a command, or a call
    /// that opens it, ends with an error if it still runs on another thread. Closing twice does nothing.
    /// </summary>
    public override void Close()
    {
        _rare?.Pipeline?.Dispose();
        _rare?.Copy?.Abort();
        ReaderRunner.CloseChange(Reader);
        if (!_life.TryBeginClosing())
            return;
        try
        {
            if (TryAbandonReader() && SessionDrain.SkipRest(_session!))
                ReaderRunner.EndAbandoned(Reader);
        }
        finally
        {
            EndClose();
        }
    }

    /// <inheritdoc cref="Close"/>
    public override Task CloseAsync()
    {
        if (_rare?.Pipeline is { } pipeline)
            return CloseAfterAsync(pipeline.DisposeAsync());
        if (_rare?.Copy is { IsInUse: false } copy)
            return CloseAfterAsync(copy.AbortAsync());
        if (Reader is { MustBeRead: true } change)
            return CloseAfterAsync(ReaderRunner.CloseAsync(change));
        if (!_life.TryBeginClosing())
            return Task.CompletedTask;
        if (TryAbandonReader())
            return CloseAfterReaderAsync();
        EndClose();
        return Task.CompletedTask;

        async Task CloseAfterAsync(ValueTask ending)
        {
            await ending.ConfigureAwait(false);
            await CloseAsync().ConfigureAwait(false);
        }
    }

    /// <inheritdoc/>
    public override ValueTask DisposeAsync()
    {
        if (MustReadOn)
            return DisposeAfterReaderAsync();
        Dispose();
        return default;

        async ValueTask DisposeAfterReaderAsync()
        {
            await CloseAsync().ConfigureAwait(false);
            Dispose();
        }
    }

    /// <summary>
    /// Makes the connection take part in a transaction: its commands are committed or rolled back with the transaction. A connection that
    /// is opened within a <see cref="System.Transactions.TransactionScope"/> does so by itself, unless 'Enlist=false'.
    /// </summary>
    /// <param name="transaction">Nothing happens if the connection takes part in it already. Null: in none, which is possible when the
    /// former one has ended.</param>
    /// <exception cref="InvalidOperationException">The connection is not open, a transaction is in progress on it, or it takes part in
    /// another one that has not ended.</exception>
    /// <exception cref="System.Transactions.TransactionException">The transaction has been rolled back already.</exception>
    public override void EnlistTransaction(System.Transactions.Transaction? transaction) => Enlisting.Enlist(this, transaction);

    /// <summary>Begins a COPY ... FROM STDIN (FORMAT binary). An own timeout can be set on what is returned.</summary>
    /// <param name="copyFromCommand">The statement.</param>
    /// <exception cref="ArgumentException">It is no such statement. The connection can be used.</exception>
    /// <exception cref="PostgresException">The server refuses it. The connection can be used.</exception>
    public PgBinaryImporter BeginBinaryImport(string copyFromCommand) =>
        new(CopyOperation.Begin(this, copyFromCommand, CopyKind.BinaryImport));

    /// <inheritdoc cref="BeginBinaryImport"/>
    public async Task<PgBinaryImporter> BeginBinaryImportAsync(string copyFromCommand, CancellationToken cancellationToken = default) =>
        new(await CopyOperation.BeginAsync(this, copyFromCommand, CopyKind.BinaryImport, cancellationToken).ConfigureAwait(false));

    /// <summary>Begins a COPY ... TO STDOUT (FORMAT binary).</summary>
    /// <inheritdoc cref="BeginBinaryImport"/>
    public PgBinaryExporter BeginBinaryExport(string copyToCommand) =>
        new(CopyOperation.Begin(this, copyToCommand, CopyKind.BinaryExport));

    /// <inheritdoc cref="BeginBinaryExport"/>
    public async Task<PgBinaryExporter> BeginBinaryExportAsync(string copyToCommand, CancellationToken cancellationToken = default) =>
        new(await CopyOperation.BeginAsync(this, copyToCommand, CopyKind.BinaryExport, cancellationToken).ConfigureAwait(false));

    /// <summary>Begins a COPY ... FROM STDIN in text or CSV format. Dispose the writer to complete the import.</summary>
    /// <inheritdoc cref="BeginBinaryImport"/>
    public PgCopyTextWriter BeginTextImport(string copyFromCommand) =>
        new(new PgRawCopyStream(CopyOperation.Begin(this, copyFromCommand, CopyKind.TextImport)));

    /// <inheritdoc cref="BeginTextImport"/>
    public async Task<PgCopyTextWriter> BeginTextImportAsync(string copyFromCommand, CancellationToken cancellationToken = default) =>
        new(new(await CopyOperation.BeginAsync(this, copyFromCommand, CopyKind.TextImport, cancellationToken).ConfigureAwait(false)));

    /// <summary>Begins a COPY ... TO STDOUT in text or CSV format.</summary>
    /// <inheritdoc cref="BeginBinaryImport"/>
    public PgCopyTextReader BeginTextExport(string copyToCommand) =>
        new(new PgRawCopyStream(CopyOperation.Begin(this, copyToCommand, CopyKind.TextExport)));

    /// <inheritdoc cref="BeginTextExport"/>
    public async Task<PgCopyTextReader> BeginTextExportAsync(string copyToCommand, CancellationToken cancellationToken = default) =>
        new(new(await CopyOperation.BeginAsync(this, copyToCommand, CopyKind.TextExport, cancellationToken).ConfigureAwait(false)));

    /// <summary>Begins a COPY ... (FORMAT binary) in either direction, as a stream of its bytes.</summary>
    /// <inheritdoc cref="BeginBinaryImport"/>
    public PgRawCopyStream BeginRawBinaryCopy(string copyCommand) => new(CopyOperation.Begin(this, copyCommand, CopyKind.RawBinary));

    /// <inheritdoc cref="BeginRawBinaryCopy"/>
    public async Task<PgRawCopyStream> BeginRawBinaryCopyAsync(string copyCommand, CancellationToken cancellationToken = default) =>
        new(await CopyOperation.BeginAsync(this, copyCommand, CopyKind.RawBinary, cancellationToken).ConfigureAwait(false));

    /// <inheritdoc cref="ChangeDatabase"/>
    public override async Task ChangeDatabaseAsync(string databaseName, CancellationToken cancellationToken = default)
    {
        var other = await ConnectionCopies.ToDatabaseAsync(this, databaseName, cancellationToken).ConfigureAwait(false);
        await CloseAsync().ConfigureAwait(false);
        Replace(other);
        await OpenAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Whether TLS encrypts the connection. With <c>SSL Mode=Prefer</c>, the default, it does if the server offers it.</summary>
    public bool IsSslEncrypted => AnySession.Wire.Tls is not null;

    /// <summary>Whether GSSAPI encrypts the connection: see <c>GSS Encryption Mode</c>.</summary>
    public bool IsGssEncrypted => AnySession.Wire.Gss is not null;

    /// <summary>Whether the password was checked by SCRAM-SHA-256 or SCRAM-SHA-256-PLUS, without being sent.</summary>
    public bool IsScram => AnySession.SaslMechanism is not null;

    /// <summary>Whether it was SCRAM-SHA-256-PLUS, so that the login holds for this TLS connection and no other: channel binding.</summary>
    public bool IsScramPlus => AnySession.SaslMechanism == SaslMechanisms.ScramSha256Plus;

    // With 'Multiplexing' all sessions of the lanes were opened in the same way.
    private ServerSession AnySession => (IsUnbound ? Lanes!.AnySession : null) ?? OpenSession();

    // The password stays hidden, even if the next opening fails.
    private void Replace(string connectionString) => (ConnectionString, _hidesPassword) = (connectionString, true);

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (_isDisposed)
            return;
        // The call that opens it tells so when it finds the connection closed.
        _isDisposed = _life.IsOpening;
        if (disposing)
            Close();
        _isDisposed = true;
        base.Dispose(disposing);
    }

    private PgConnection NotDisposed() => _isDisposed ? throw new ObjectDisposedException(nameof(PgConnection)) : this;

    /// <summary>Nobody else opens the connection until it is open, or <see cref="ConnectionLife.OpeningFailed"/>.</summary>
    internal PgDataSource BeginOpen()
    {
        NotDisposed();
        if (_session is { State: SessionState.Broken })
            Close();
        _life.CheckClosed();
        ConnectionCopies.Offer(_dataSource, _rare?.ProvidePassword);
        var source = _dataSource?.Checked()
            ?? throw new InvalidOperationException("The connection has no connection string: set ConnectionString.");
        _life.BeginOpening();
        return source;
    }

    internal void RaiseOpened() => OnStateChange(ClosedToOpen);

    /// <summary>It is opened on one of several hosts, whose data source it belongs to until it is closed.</summary>
    internal void BelongTo(PgDataSource host) => (Extras.Given, _dataSource) = (_dataSource, host);

    // The next renter would find the rest, and closing a socket with unread bytes resets it. Not when another thread closes the reader.
    private bool TryAbandonReader() => _session is { State: not SessionState.Broken } && HasSession
        && Reader is { } reader && reader.TryAbandon(hasSession: true);

    private bool MustReadOn => _rare is { Pipeline: not null } or { Copy: not null } || Reader is { MustBeRead: true }
        || (Reader is { IsClosed: false } && _session is { State: not SessionState.Broken });

    private async Task CloseAfterReaderAsync()
    {
        try
        {
            if (await SessionDrain.SkipRestAsync(_session!).ConfigureAwait(false))
                ReaderRunner.EndAbandoned(Reader);
        }
        finally
        {
            EndClose();
        }
    }

    // Only the thread that began to close comes here, and nobody opens before it ends.
    private void EndClose(bool wasOpen = true)
    {
        var session = Interlocked.Exchange(ref _session, null);
        if (session is null && Reader is { IsClosed: false })
            Reader.StopUnlessAnswered();
        var reader = Reader;
        reader?.TryAbandon(HasSession);
        Reader = null;
        _transaction?.Complete();
        var isKept = Enlisted?.TryKeep(_rental) == true;
        _rare?.Enlisted = null;
        try
        {
            if (_isRented && !isKept)
                _dataSource!.Pool!.Return(_rental);
            else if (!isKept)
                session?.Dispose();
        }
        finally
        {
            (_rental, _isRented, _isMultiplexed) = (default, false, false);
            _rare?.IsPinned = false;
            _rare?.Closed(this, ref _dataSource);
            if (wasOpen)
                _life.EndClosing();
        }
        if (!wasOpen)
            return;
        reader?.RaiseClosed();
        ConnectionUse.Closed(this, session);
        OnStateChange(OpenToClosed);
    }

    /// <summary>Open without a session: the commands run in lanes.</summary>
    internal void OpenUnbound()
    {
        _hidesPassword = _isMultiplexed = true;
        EndOpening(wasOpen: false);
    }

    private void Bind()
    {
        CheckNoReader();
        var pool = _dataSource!.Pool!;
        Bound(SessionPool.Rent(pool), pool);
    }

    /// <summary>Rents a session for what cannot run in a lane. Nothing happens if the connection has one.</summary>
    internal async ValueTask BindAsync(CancellationToken token)
    {
        if (_rare?.Enlisted?.Rollback is { } rollback)
            await rollback.ConfigureAwait(false);
        if (!IsUnbound)
            return;
        CheckNoReader();
        var pool = _dataSource!.Pool!;
        Bound(await SessionPool.RentAsync(pool, token).ConfigureAwait(false), pool);
    }

    // Meanwhile the connection may have been closed, or have got a session for another call, which it keeps.
    private void Bound(Rental<PooledSession> rental, ResourcePool<PooledSession> pool)
    {
        var isOpen = _life.TryBeginBinding();
        if (isOpen && _isMultiplexed && _session is null && ReferenceEquals(_dataSource!.Pool, pool))
        {
            Opened(rental);
            return;
        }
        pool.Return(rental);
        if (isOpen)
            EndOpening(wasOpen: true);
        if (_session is null)
            throw ConnectionLife.ClosedWhile(_isDisposed, "waited for a session");
    }

    /// <summary>A connection runs one command at a time, in whatever session.</summary>
    /// <exception cref="PgOperationInProgressException">A reader has not come to its end.</exception>
    internal void CheckNoReader() => Reader?.CheckHasEnded();

    /// <summary>A rollback may have waited for this. With 'Multiplexing' a session that nothing needs any more is given back.</summary>
    internal void CommandEnded()
    {
        _rare?.Enlisted?.CommandEnded();
        // Another thread may close the connection: only one of them gives the session back.
        if (!NeedsNoSession || !_life.TryBeginBinding())
            return;
        var (pool, rental, isGivenBack) = (_dataSource!.Pool!, _rental, NeedsNoSession);
        if (isGivenBack)
        {
            Interlocked.Exchange(ref _transaction, null)?.Complete();
            (_session, _rental, _isRented) = (null, default, false);
        }
        if (!_life.TryEndOpening())
            EndClose();
        if (isGivenBack)
            pool.Return(rental);
    }

    private bool NeedsNoSession => _isMultiplexed && !HasTransaction
        && _rare is not ({ Pipeline: not null } or { IsPinned: true } or { Enlisted: not null })
        && _session is { PendingBegin: null } session && (session.State == SessionState.Broken
            || (session.State is SessionState.Idle or SessionState.Unsettled && session.Effects.Changes == SessionChanges.None
                && session.TransactionStatus == Protocol.TransactionStatus.Idle));

    /// <summary>Takes back what <see cref="Opened(ServerSession, bool)"/> gave. False if it is lost, or a command runs.</summary>
    internal bool Detach()
    {
        var session = Interlocked.Exchange(ref _session, null);
        Reader?.TryAbandon(hasSession: true);
        Reader = null;
        _life.EndClosing();
        return session is { State: not SessionState.Broken } && session.Owner.TakeBack();
    }

    internal void Opened(Rental<PooledSession> rental)
    {
        (_rental, _isRented) = (rental, true);
        Opened(rental.Resource.Session);
    }

    /// <summary>Takes up a session that another connection has had in the same ambient transaction.</summary>
    internal void Resume(EnlistedSession enlisted, ServerSession session, Rental<PooledSession> rental)
    {
        Enlisted = enlisted;
        (_rental, _isRented) = (rental, _dataSource!.Pool is not null);
        Opened(session, goesOn: true);
    }

    internal void Opened(ServerSession session, bool goesOn = false)
    {
        session.Owner.HandOver(this, goesOn);
        _session = session;
        _hidesPassword = true;
        EndOpening(wasOpen: _isMultiplexed);
    }

    // Closes what has been closed meanwhile.
    private void EndOpening(bool wasOpen)
    {
        if (_life.TryEndOpening())
            return;
        EndClose(wasOpen);
        throw ConnectionLife.ClosedWhile(_isDisposed, wasOpen ? "waited for a session" : "was being opened");
    }
}
