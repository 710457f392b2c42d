using System.Net.Sockets;
using Loxo.Diagnostics;
using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;
using Loxo.Transport;

namespace Loxo.Session;

/// <summary>
/// One physical connection and its state. It runs one exchange at a time: <see cref="Begin"/>, write, <see cref="Pump"/> until
/// <see cref="Progress.Done"/>, <see cref="End"/>. After an I/O or protocol error it is <see cref="SessionState.Broken"/> for good.
/// </summary>
internal sealed class ServerSession : IWireOwner, IDisposable
{
    private readonly StateWord _state = new();
    private readonly KeepAlive? _keepAlive;
    private TransactionStatus _transactionStatus = TransactionStatus.Idle;

    public ServerSession(ByteChannel channel, SessionContext context)
    {
        Context = context;
        Wire = new Wire(channel, this, context.Transport, context.Time);
        Counters = new SessionCounters(Wire.Traffic);
        Owner = new SessionOwner(this, _state, Wire);
        Command = new CommandExchange(this);
        Spares = new SpareExchanges(this);
        Statements = new StatementCache(
            context.Settings.AutoPrepare, Groups, KeepsDescriptions ? StatementName.OwnSuffix() : "", Counters);
        Validity = new StatementValidity(this);
        Types = new SessionTypes(this);
        Effects = new StatementEffects(this);
        Cancellation = new Cancellation(this, _state);
        Deferred = new DeferredStatements(this);
        _keepAlive = context.Settings.KeepAlive > TimeSpan.Zero ? new KeepAlive(this, _state) : null;
        context.Totals.Add(Counters);
    }

    /// <summary>Settings and services that every session of a data source shares.</summary>
    public SessionContext Context { get; }

    /// <summary>The buffers and the loops that wait; only the exchange in progress uses them.</summary>
    public Wire Wire { get; }

    /// <summary>What the session has done.</summary>
    public SessionCounters Counters { get; }

    /// <summary>The connection that has the session.</summary>
    public SessionOwner Owner { get; }

    /// <summary>Where exchanges write their messages.</summary>
    public MessageWriter Output => Wire.Output;

    /// <summary>The exchange for commands, reused by one command after the other.</summary>
    public CommandExchange Command { get; }

    /// <summary>The exchange for commands of ours, such as COMMIT, reused like <see cref="Command"/>.</summary>
    public SimpleCommand Simple => field ??= new SimpleCommand(this);

    /// <summary>The exchanges for commands that are pipelined.</summary>
    public SpareExchanges Spares { get; }

    /// <summary>Statements that this session has met.</summary>
    public StatementCache Statements { get; }

    /// <summary>Tells whether a prepared statement still means what its text means.</summary>
    public StatementValidity Validity { get; }

    /// <summary>The groups of messages that were written.</summary>
    public MessageGroups Groups { get; } = new();

    /// <summary>
    /// Whether a pooler gives each transaction another server process. It may hand the process on at any ReadyForQuery, although a part of
    /// what was sent behind has reached that process. So nothing more is sent until the answers that are due have come.
    /// </summary>
    public bool IsPooledElsewhere => Context.Settings.Pooler != Pooler.None;

    /// <summary>Whether descriptions of statements can be cached: not where each transaction may run in another server process.</summary>
    public bool KeepsDescriptions => !IsPooledElsewhere;

    /// <summary>The types of the database, as this session sees them.</summary>
    public SessionTypes Types { get; }

    /// <summary>The changes that statements may have made.</summary>
    public StatementEffects Effects { get; }

    /// <summary>Stops the running command.</summary>
    public Cancellation Cancellation { get; }

    public SessionState State => _state.State;

    /// <summary>The number of the current command, for cancelling this one and no other.</summary>
    public long CommandNumber => _state.Number;

    /// <summary>Whether the command of that number has not come to its end.</summary>
    public bool IsRunning(long commandNumber) => _state.IsRunning(commandNumber);

    /// <summary>As the last ReadyForQuery said.</summary>
    public TransactionStatus TransactionStatus
    {
        get => _transactionStatus;
        set => Ready(value, isLast: true);
    }

    /// <summary>ReadyForQuery has arrived.</summary>
    /// <param name="status">Its status.</param>
    /// <param name="isLast">Whether everything that was sent has been answered; if not, a transaction may still be on its way.</param>
    public void Ready(TransactionStatus status, bool isLast)
    {
        _transactionStatus = status;
        if (status != TransactionStatus.Idle)
            return;
        LargeObjects = null;
        Types.TransactionEnded();
        Effects.EndTransaction(isLast);
    }

    /// <summary>A statement has run that neither returns nor changes rows: it may have ended the transaction.</summary>
    public void Completed(ReadOnlySpan<byte> tag)
    {
        if (LargeObjects?.IsEndedBy(tag) == true)
            LargeObjects = null;
    }

    /// <summary>The large objects of the transaction; null if it has opened none.</summary>
    public OpenLargeObjects? LargeObjects { get; set; }

    /// <summary>The BEGIN that goes out in front of the next command, or null.</summary>
    public string? PendingBegin { get; set; }

    /// <summary>The server process; 0 when the server did not say.</summary>
    public int ProcessId { get; private set; }

    /// <summary>Questions of its host with larger numbers were asked after the login; 0 where there is no choice between hosts.</summary>
    public long HostNumber { get; set; }

    /// <summary>The key for cancel requests; empty when the server sent none, and then nothing can be cancelled.</summary>
    public byte[] SecretKey { get; private set; } = [];

    /// <summary>The SASL mechanism of the login; null for another method or none.</summary>
    public string? SaslMechanism { get; set; }

    /// <summary>The settings that the server reports.</summary>
    public ReportedParameters Parameters { get; } = new();

    /// <summary>Why the running command was asked to stop.</summary>
    public StopReason StopReason => Cancellation.Reason;

    /// <summary>Answers that are due to what was sent without waiting.</summary>
    public DeferredStatements Deferred { get; }

    /// <summary>The error that broke the session, for later calls.</summary>
    public Exception? BreakCause { get; private set; }

    /// <summary>Remembers what the server said in BackendKeyData.</summary>
    public void SetKey(BackendKeyData key) => (ProcessId, SecretKey) = (key.ProcessId, key.SecretKey.ToArray());

    /// <summary>The handshake is over.</summary>
    public void Opened() => _state.TryChange(SessionState.Opening, SessionState.Idle);

    /// <summary>
    /// Claims the session and writes, blocking while an earlier cancel request may still arrive. If writing fails, nothing is sent and the
    /// session is free again.
    /// </summary>
    /// <param name="owner">The connection that has the session; null for the pool.</param>
    /// <param name="write">Writes the messages; it gets <paramref name="state"/>, so that it needs no closure.</param>
    /// <param name="state">The argument of <paramref name="write"/>.</param>
    /// <exception cref="PgException">A command is running, the session is broken, or the owner has given it back.</exception>
    public T Begin<TState, T>(ISessionListener? owner, Func<ServerSession, TState, T> write, TState state)
    {
        Claim(owner);
        return Write(write, state);
    }

    /// <inheritdoc cref="Begin"/>
    public async ValueTask<T> BeginAsync<TState, T>(ISessionListener? owner, Func<ServerSession, TState, T> write, TState state)
    {
        await ClaimAsync(owner).ConfigureAwait(false);
        return Write(write, state);
    }

    /// <summary>
    /// Claims the session for one command, as <see cref="Begin"/> does, but leaves it to the caller to call <see cref="GiveBack"/> when
    /// writing fails. An architecture test lists the callers.
    /// </summary>
    /// <param name="owner">The connection that has the session; null for the pool.</param>
    /// <exception cref="PgException">A command is running, the session is broken, or the owner has given it back.</exception>
    public void Claim(ISessionListener? owner)
    {
        if (ClaimUnsettled(owner))
            Cancellation.Settle();
    }

    /// <summary>Claims without waiting.</summary>
    /// <returns>Whether <see cref="Loxo.Session.Cancellation.Settle"/> is due before anything is written.</returns>
    /// <inheritdoc cref="Claim"/>
    public bool ClaimUnsettled(ISessionListener? owner)
    {
        var found = Take(owner);
        if (Wire.Input.Buffered > 0)
            ReadLeftovers();
        return Cancellation.Begin(mayBeHit: found == SessionState.Unsettled);
    }

    /// <inheritdoc cref="Claim"/>
    public ValueTask ClaimAsync(ISessionListener? owner) => ClaimUnsettled(owner) ? Cancellation.SettleAsync() : default;

    /// <summary>Replaces the BEGIN that goes out in front of the next command.</summary>
    /// <param name="owner">The connection that has the session.</param>
    /// <param name="begin">The new one; null for none.</param>
    /// <returns>The former one.</returns>
    /// <exception cref="PgException">A command is running, the session is broken, or the owner has given it back.</exception>
    public string? ExchangeBegin(ISessionListener owner, string? begin)
    {
        var state = Take(owner);
        (var former, PendingBegin) = (PendingBegin, begin);
        _state.TryChange(SessionState.Busy, state);
        return former;
    }

    /// <summary>A BEGIN that was refused is still due: without it the next command would run outside of any transaction.</summary>
    /// <param name="begin">Its text; null if none was refused.</param>
    /// <exception cref="PgException">That command is on its way already.</exception>
    public void BeginAgain(string? begin)
    {
        if (begin is not null)
            PendingBegin = Wire.Flights.Count > 1 ? throw SessionErrors.BeginRefused() : begin;
    }

    /// <summary>Takes back unsent bytes written since <paramref name="position"/>, and frees the session unless it is broken.</summary>
    public void GiveBack(long position)
    {
        if (State == SessionState.Broken)
            return;
        Output.TakeBack(position);
        End();
    }

    /// <summary>The command's ReadyForQuery has arrived.</summary>
    public void End()
    {
        Wire.Shrink();
        _keepAlive?.Used();
        if (!_state.TryChange(SessionState.Busy, SessionState.Idle))
            _state.TryChange(SessionState.Cancelling, SessionState.Unsettled);
        FailIfShutDown();
    }

    /// <summary>A wait was ended by closing the channel when its answer had arrived: the caller has it, and the session is over.</summary>
    /// <returns>Whether it is over.</returns>
    public bool FailIfShutDown()
    {
        if (!Wire.IsShutDown)
            return false;
        if (State != SessionState.Broken)
            Failed(TransportErrors.Lost(new SocketException((int)SocketError.Shutdown)));
        return true;
    }

    /// <summary>How long a caller that has claimed the session waits before it calls <see cref="AskForSignOfLife"/>.</summary>
    public Deadline UntilSignOfLife(Deadline limit) => _keepAlive?.Until(limit) ?? limit;

    /// <summary>Asks the server whether it is there, if 'Keepalive' is set: its answer is read before those of later exchanges.</summary>
    /// <exception cref="PgException">It has not answered in time.</exception>
    public void AskForSignOfLife()
    {
        if (_keepAlive?.Ask(this) is { } error)
            throw Failed(error);
    }

    /// <summary>Blocks until the exchange stops. When the time is over the server is asked to cancel.</summary>
    /// <param name="exchange">Written already.</param>
    /// <param name="timeout">Milliseconds each wait may last.</param>
    public Progress Pump(Exchange exchange, int timeout)
    {
        var progress = Wire.Pump(exchange, Deadline.EachWait(timeout));
        return progress == Progress.NeedMore ? Cancellation.PumpAfterTimeout(exchange, StopReason.Timeout) : progress;
    }

    /// <summary>Awaits until the exchange stops, asking the server to cancel when the time is over or the token is cancelled.</summary>
    public ValueTask<Progress> PumpAsync(Exchange exchange, int timeout, CancellationToken token) =>
        Wire.PumpAsync(exchange, Deadline.EachWait(timeout), token);

    /// <summary>Advances the exchange over what has arrived, without waiting and without sending.</summary>
    public Progress Advance(Exchange exchange)
    {
        try
        {
            return Wire.Advance(exchange);
        }
        catch (PgException e)
        {
            // As when a caller receives: each command that is due learns whether it may have run.
            lock (Wire.Gate)
                Wire.Flights.Lost(Wire.SentPosition);
            throw Failed(e);
        }
    }

    /// <summary>What is told of the command that has the session for itself; null if nothing is.</summary>
    public OperationTrace? Trace { get; set; }

    /// <summary>Whether it runs the commands of many callers, for as long as it is open.</summary>
    public bool IsLane { get; set; }

    /// <summary>The statements since it was handed out; null unless the pool records them.</summary>
    public RentalRecord? Record { get; set; }

    /// <summary>Marks the session as broken and returns the exception to throw.</summary>
    public Exception Failed(Exception cause)
    {
        // An error of the server has been counted before it ended the session.
        var former = _state.Break();
        if (former is SessionState.Busy or SessionState.Cancelling && Command.Query.Error is null)
            Counters.Failed++;
        var error = StopReason == StopReason.None || cause is PostgresException
            ? cause
            : SessionErrors.Stopped(StopReason, cause, hasKey: SecretKey.Length > 0);
        if (former == SessionState.Opening)
            error = HandshakeErrors.NotLoggedIn(Context.Transport.Host, error);
        BreakCause ??= error;
        Context.Host?.Doubt();
        Effects.LoseTransaction();
        Statements.ServerForgotAll();
        Trace?.End(error);
        Wire.Shutdown();
        // Releases the streams that will not be sent.
        lock (Wire.Gate)
            Output.Clear();
        return error;
    }

    /// <summary>Sends Terminate if it fits without blocking, then closes the socket.</summary>
    public void Dispose()
    {
        _keepAlive?.Dispose();
        var former = _state.Break();
        BreakCause ??= SessionErrors.Closed();
        Effects.LoseTransaction();
        Trace?.End(BreakCause);
        if (former is SessionState.Idle or SessionState.Unsettled)
        {
            Output.WriteTerminate();
            Wire.SendClosing();
            // Not under a running command: its thread may be receiving into that memory, and the next owner would find our bytes in it.
            Wire.ReleaseInput();
        }
        Wire.Shutdown();
        Wire.Dispose();
        Context.Totals.Remove(Counters);
    }

    void IWireOwner.WaitTimedOut() => Cancellation.WaitTimedOut();

    void IWireOwner.WaitCancelled() => Cancellation.WaitCancelled();

    private T Write<TState, T>(Func<ServerSession, TState, T> write, TState state)
    {
        var position = Output.Position;
        try
        {
            return write(this, state);
        }
        catch
        {
            GiveBack(position);
            throw;
        }
    }

    // Returns the state before; it is Busy from here on.
    private SessionState Take(ISessionListener? owner)
    {
        if (_state.IsFree(out var moment))
        {
            // Between the two steps; see SessionOwner.TakeBack.
            if (!Owner.Is(owner))
                throw SessionErrors.GivenBack();
            if (_state.TryBegin(moment, out var former))
                return former;
        }
        throw SessionErrors.NotIdle(this, owner);
    }

    // An unexpected reply would be taken for the reply to the command that begins now.
    private void ReadLeftovers()
    {
        try
        {
            if (!Deferred.IsDue)
                SessionDrain.ReadIdleMessages(this);
        }
        catch (PgException e)
        {
            throw Failed(e);
        }
        if (State == SessionState.Broken)
            throw BreakCause!;
    }
}
