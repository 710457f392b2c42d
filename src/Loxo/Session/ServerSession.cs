using System.Diagnostics.CodeAnalysis;
using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;
using Loxo.Transport;

namespace Loxo.Session;

/// <summary>
/// One physical connection and its state. It runs one exchange at a time: <see cref="Begin"/>, write, <see cref="Pump"/> until
/// <see cref="Progress.Done"/>, <see cref="End"/>. After an I/O or protocol error it is <see cref="SessionState.Broken"/> for good.
/// </summary>
internal sealed class ServerSession : IWireOwner, IUnsolicitedMessages, IDisposable
{
    private readonly Dictionary<string, string> _parameters = new(StringComparer.OrdinalIgnoreCase);
    private readonly Wire _wire;
    // The state in the low byte, the number of the command above it: both change in one step, so that whoever wants to cancel
    // one command can never hit the next.
    private long _word = (long)SessionState.Opening;
    private CancelRequest? _cancel;
    private StopReason _stopReason;
    private Exception? _breakCause;

    public ServerSession(ByteChannel channel, SessionContext context)
    {
        Context = context;
        _wire = new Wire(channel, this, context.Transport, context.Time);
        Query = new QueryExchange(this);
    }

    /// <summary>Settings and services that every session of a data source shares.</summary>
    public SessionContext Context { get; }

    /// <summary>The buffers and the loops that wait; only the exchange in progress uses them.</summary>
    public Wire Wire => _wire;

    /// <summary>Where exchanges write their messages.</summary>
    public MessageWriter Output => _wire.Output;

    /// <summary>The exchange for commands, used again and again.</summary>
    public QueryExchange Query { get; }

    /// <summary>Statements that were prepared on this session.</summary>
    public StatementCache Statements { get; } = new();

    public SessionState State => (SessionState)(byte)Volatile.Read(ref _word);

    /// <summary>The number of the current command; the one to give to <see cref="Cancel"/>.</summary>
    public long CommandNumber => Volatile.Read(ref _word) >> 8;

    /// <summary>As the last ReadyForQuery said.</summary>
    public TransactionStatus TransactionStatus { get; set; }

    /// <summary>The BEGIN that goes out in front of the next command, or null.</summary>
    public string? PendingBegin { get; set; }

    /// <summary>The server process; 0 when the server did not say.</summary>
    public int ProcessId { get; private set; }

    /// <summary>What a cancel request must show; empty when the server sent none, and then nothing can be cancelled.</summary>
    public byte[] SecretKey { get; private set; } = [];

    /// <summary>Settings that the server reports, by name.</summary>
    public IReadOnlyDictionary<string, string> Parameters => _parameters;

    /// <summary>Whether '\' is an ordinary character in string literals.</summary>
    public bool StandardConformingStrings { get; private set; } = true;

    /// <summary>Why the running command was asked to stop.</summary>
    public StopReason StopReason => _stopReason;

    /// <summary>Called for each notice, on the thread that reads it.</summary>
    public Action<ServerErrorFields>? NoticeReceived { get; set; }

    /// <summary>Called for each notification, on the thread that reads it.</summary>
    public Action<PgNotificationEventArgs>? NotificationReceived { get; set; }

    /// <summary>The error that broke the session, for those who come later.</summary>
    public Exception? BreakCause => _breakCause;

    /// <summary>Remembers what the server said in BackendKeyData.</summary>
    public void SetKey(BackendKeyData key)
    {
        ProcessId = key.ProcessId;
        SecretKey = key.SecretKey.ToArray();
    }

    /// <summary>The handshake is over.</summary>
    public void Opened() => TryChange(SessionState.Opening, SessionState.Idle);

    /// <summary>Claims the session for one command, blocking while an earlier cancel request may still arrive.</summary>
    /// <exception cref="PgException">A command is running, or the session is broken.</exception>
    public void Begin()
    {
        if (Claim())
            Settle();
    }

    /// <summary>Claims the session for one command.</summary>
    public ValueTask BeginAsync() => Claim() ? SettleAsync() : default;

    /// <summary>The command's ReadyForQuery has arrived.</summary>
    public void End()
    {
        _wire.Shrink();
        if (!TryChange(SessionState.Busy, SessionState.Idle))
            TryChange(SessionState.Cancelling, SessionState.Unsettled);
    }

    /// <summary>Blocks until the exchange stops. When the time is over the server is asked to cancel.</summary>
    /// <param name="exchange">Written already.</param>
    /// <param name="timeout">Milliseconds each wait may last.</param>
    public Progress Pump(Exchange exchange, int timeout)
    {
        var progress = _wire.Pump(exchange, Deadline.EachWait(timeout));
        return progress == Progress.NeedMore ? PumpAfterTimeout(exchange) : progress;
    }

    /// <summary>Awaits until the exchange stops, asking the server to cancel when the time is over or the token is cancelled.</summary>
    public ValueTask<Progress> PumpAsync(Exchange exchange, int timeout, CancellationToken token) =>
        _wire.PumpAsync(exchange, Deadline.EachWait(timeout), token);

    /// <summary>Advances the command over what has arrived, without waiting and without sending.</summary>
    public Progress AdvanceQuery()
    {
        try
        {
            return Query.Advance(_wire.Input);
        }
        catch (PgException e)
        {
            throw Failed(e);
        }
    }

    /// <summary>Asks the server to stop the command of that number, if it still runs; never blocks, never throws.</summary>
    public void Cancel(long commandNumber)
    {
        if (CanCancel)
            TryCancel(commandNumber, StopReason.Cancel, out _);
    }

    void IWireOwner.WaitTimedOut() => StopWait(StopReason.Timeout);

    void IWireOwner.WaitCancelled() => StopWait(StopReason.Cancel);

    /// <summary>Marks the session as broken and returns what to throw.</summary>
    public Exception Failed(Exception cause)
    {
        Volatile.Write(ref _word, (CommandNumber << 8) | (long)SessionState.Broken);
        var error = _stopReason == StopReason.None || cause is PostgresException ? cause : SessionErrors.Stopped(_stopReason, cause);
        _breakCause ??= error;
        Statements.Clear();
        _wire.Shutdown();
        return error;
    }

    /// <summary>The cancel request of a command has had its time: if the command still runs, whoever waits for it is woken.</summary>
    public void GiveUp(CancelRequest request)
    {
        if (ReferenceEquals(_cancel, request) && State == SessionState.Cancelling)
            _wire.Shutdown();
    }

    /// <summary>Says goodbye if nothing is in the way, without waiting, and closes.</summary>
    public void Dispose()
    {
        var former = (SessionState)(byte)Interlocked.Exchange(ref _word, (CommandNumber << 8) | (long)SessionState.Broken);
        _breakCause ??= SessionErrors.Closed();
        Statements.Clear();
        if (former is SessionState.Idle or SessionState.Unsettled)
        {
            Output.WriteTerminate();
            _wire.SayGoodbye();
            // Not under a running command: its thread may be receiving into that memory, and the next owner would find our bytes in it.
            _wire.Input.Dispose();
        }
        _wire.Shutdown();
        _wire.Dispose();
    }

    void IUnsolicitedMessages.Notice(ServerErrorFields notice) => NoticeReceived?.Invoke(notice);

    void IUnsolicitedMessages.Notification(NotificationResponse notification) => NotificationReceived?.Invoke(
        new PgNotificationEventArgs(notification.ProcessId, notification.Channel, notification.Payload));

    void IUnsolicitedMessages.ParameterStatus(ParameterStatus parameter)
    {
        _parameters[parameter.Name] = parameter.Value;
        if (parameter.Name == "standard_conforming_strings")
            StandardConformingStrings = parameter.Value != "off";
    }

    private bool CanCancel => SecretKey.Length > 0 && Context.CancelWait != TimeSpan.Zero;

    private bool TryChange(SessionState from, SessionState to)
    {
        var word = Volatile.Read(ref _word);
        return (SessionState)(byte)word == from && Interlocked.CompareExchange(ref _word, (word & ~0xffL) | (long)to, word) == word;
    }

    // True when a cancel request of the command before must be waited for.
    private bool Claim()
    {
        var word = Volatile.Read(ref _word);
        var found = (SessionState)(byte)word;
        if (found is not (SessionState.Idle or SessionState.Unsettled)
            || Interlocked.CompareExchange(ref _word, (((word >> 8) + 1) << 8) | (long)SessionState.Busy, word) != word)
            throw SessionErrors.NotIdle(State, _breakCause);
        if (found == SessionState.Unsettled)
            return true;
        _stopReason = StopReason.None;
        return false;
    }

    // Asynchronous waits end here; a blocking one that times out goes to PumpAfterTimeout.
    private void StopWait(StopReason reason)
    {
        // A cancel request that is under way has a limit of its own.
        if (State == SessionState.Cancelling || (CanCancel && TryCancel(CommandNumber, reason, out _)))
            return;
        if (_stopReason == StopReason.None)
            _stopReason = reason;
        _wire.Shutdown();
    }

    private bool TryCancel(long commandNumber, StopReason reason, [NotNullWhen(true)] out CancelRequest? request, bool start = true)
    {
        request = null;
        var busy = (commandNumber << 8) | (long)SessionState.Busy;
        var cancelling = (commandNumber << 8) | (long)SessionState.Cancelling;
        if (_cancel is not null || Interlocked.CompareExchange(ref _word, cancelling, busy) != busy)
            return false;
        _stopReason = reason;
        request = new CancelRequest(this);
        Volatile.Write(ref _cancel, request);
        if (start)
            request.Start();
        return true;
    }

    private Progress PumpAfterTimeout(Exchange exchange)
    {
        var limit = Deadline.In(Context.CancelWait, Context.Time);
        if (CanCancel && TryCancel(CommandNumber, StopReason.Timeout, out var request, start: false))
            request.Run(limit);
        // A cancel request that somebody else has sent is given its time too.
        if (State == SessionState.Cancelling && _wire.Pump(exchange, limit) is not Progress.NeedMore and var progress)
            return progress;
        if (_stopReason == StopReason.None)
            _stopReason = StopReason.Timeout;
        throw Failed(new TimeoutException("The server did not answer in time."));
    }

    // The cancel connection has reached its end, so the signal has been sent; one Sync later it has been seen: a server that reads
    // a command ignores a cancel (ProcessInterrupts, postgres.c).
    private void Settle()
    {
        var limit = Deadline.In(Context.CancelWait, Context.Time);
        var ended = EarlierCancel().Ended;
        if (!ended.Wait(limit.Left) || !ended.Result || _wire.Pump(BeginSync(), limit) == Progress.NeedMore)
            throw Failed(SessionErrors.CancelNotSettled());
        _cancel = null;
    }

    private async ValueTask SettleAsync()
    {
        var limit = Deadline.In(Context.CancelWait, Context.Time);
        if (!await EndsInTime(EarlierCancel().Ended, limit).ConfigureAwait(false))
            throw Failed(SessionErrors.CancelNotSettled());
        try
        {
            await _wire.PumpAsync(BeginSync(), limit, CancellationToken.None).ConfigureAwait(false);
        }
        catch (PgException e) when (_stopReason == StopReason.Timeout && e is not PostgresException)
        {
            throw SessionErrors.CancelNotSettled();
        }
        _cancel = null;
    }

    private async ValueTask<bool> EndsInTime(Task<bool> ended, Deadline limit)
    {
        try
        {
            return await ended.WaitAsync(limit.Left, Context.Time).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            return false;
        }
    }

    private SyncExchange BeginSync()
    {
        Output.WriteSync();
        return new SyncExchange(this);
    }

    // Whoever cancels changes the state first and shows the request an instant later. From here on the reason is that of a command which is over.
    private CancelRequest EarlierCancel()
    {
        var spin = default(SpinWait);
        while (Volatile.Read(ref _cancel) is null)
            spin.SpinOnce();
        _stopReason = StopReason.None;
        return _cancel!;
    }
}
