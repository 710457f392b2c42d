using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;
using Loxo.Transport;

namespace Loxo.Session;

/// <summary>
/// One physical connection and its state. It runs one exchange at a time: <see cref="Begin"/>, write, <see cref="Pump"/> until
/// <see cref="Progress.Done"/>, <see cref="End"/>. After an I/O or protocol error it is <see cref="SessionState.Broken"/> for good.
/// </summary>
internal sealed partial class ServerSession : IWireOwner, IUnsolicitedMessages, IDisposable
{
    private readonly Dictionary<string, string> _parameters = new(StringComparer.OrdinalIgnoreCase);
    private readonly Wire _wire;
    private readonly DeferredAnswers _deferred;
    // Weak, so that a connection that was forgotten while open can be collected, and its session be recovered.
    private readonly WeakReference<ISessionListener?> _listener = new(null);
    // The state in the low byte, the number of the command above it: both change in one step, so that whoever wants to cancel
    // one command can never hit the next.
    private long _word = (long)SessionState.Opening;
    private TransactionStatus _transactionStatus = TransactionStatus.Idle;
    private SessionMarks _marksOfTransaction;
    private long _epoch;
    private bool _hasOtherNames;
    private bool _isHandedOver;
    private Exception? _breakCause;

    public ServerSession(ByteChannel channel, SessionContext context)
    {
        Context = context;
        _wire = new Wire(channel, this, context.Transport, context.Time);
        Query = new QueryExchange(this);
        Statements = new StatementCache(context.Settings.AutoPrepare, KeepsDescriptions ? StatementName.OwnSuffix() : "");
        Types = new SessionTypes(this);
        _deferred = new DeferredAnswers(this);
    }

    /// <summary>Settings and services that every session of a data source shares.</summary>
    public SessionContext Context { get; }

    /// <summary>The buffers and the loops that wait; only the exchange in progress uses them.</summary>
    public Wire Wire => _wire;

    /// <summary>Where exchanges write their messages.</summary>
    public MessageWriter Output => _wire.Output;

    /// <summary>The exchange for commands, used again and again.</summary>
    public QueryExchange Query { get; }

    /// <summary>The rows of the result that is being read.</summary>
    public Rows Rows { get; } = new();

    /// <summary>Statements that this session has met.</summary>
    public StatementCache Statements { get; }

    /// <summary>
    /// Grows whenever what the server has parsed may mean something else from then on: DDL, SET search_path, or an error that showed it. A
    /// statement that was parsed under another epoch is parsed again with its next use.
    /// </summary>
    public long Epoch => _epoch + Context.Invalidations;

    /// <summary>Whether what the server once said of a statement's columns holds: not where each transaction may meet another server process.</summary>
    public bool KeepsDescriptions => Context.Settings.Pooler == Pooler.None;

    /// <summary>The types of the database, as this session sees them.</summary>
    public SessionTypes Types { get; }

    /// <summary>Whether names without a schema may mean other types here than in the data source's other sessions.</summary>
    public bool HasOtherNames => _hasOtherNames || HasOtherNamesInTransaction;

    /// <summary>Whether the open transaction may have changed what names mean.</summary>
    public bool HasOtherNamesInTransaction => (_marksOfTransaction & SessionMarks.Names) != 0;

    /// <summary>What may have been left behind since the session was handed out.</summary>
    public SessionMarks Marks { get; set; }

    /// <summary>The server has reported another value of a setting since the session was handed out.</summary>
    public bool HasOtherParameters { get; private set; }

    public SessionState State => (SessionState)(byte)Volatile.Read(ref _word);

    /// <summary>The number of the current command; the one to give to <see cref="Cancel"/>.</summary>
    public long CommandNumber => Volatile.Read(ref _word) >> 8;

    /// <summary>Whether the command of that number has not come to its end.</summary>
    public bool IsRunning(long commandNumber) => Volatile.Read(ref _word) is var word && word >> 8 == commandNumber
        && (SessionState)(byte)word is (SessionState.Busy or SessionState.Cancelling);

    /// <summary>As the last ReadyForQuery said.</summary>
    public TransactionStatus TransactionStatus
    {
        get => _transactionStatus;
        set
        {
            _transactionStatus = value;
            if (value != TransactionStatus.Idle)
                return;
            Types.TransactionEnded();
            if (_marksOfTransaction != SessionMarks.None)
                EndMarks();
        }
    }

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

    /// <summary>Answers that are due to what was sent without waiting.</summary>
    public DeferredAnswers Deferred => _deferred;

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
        if (_deferred.IsDue)
        {
            if (_wire.Pump(_deferred, Deadline.EachWait(timeout)) == Progress.NeedMore)
                throw TimedOut();
            CheckDeferred();
        }
        return PumpUntilStopped(exchange, timeout);
    }

    /// <summary>Awaits until the exchange stops, asking the server to cancel when the time is over or the token is cancelled.</summary>
    public ValueTask<Progress> PumpAsync(Exchange exchange, int timeout, CancellationToken token) => _deferred.IsDue
        ? PumpAfterDeferredAsync(exchange, timeout, token)
        : _wire.PumpAsync(exchange, Deadline.EachWait(timeout), token);

    /// <summary>
    /// Advances the command over what has arrived, without waiting and without sending; it was pumped before, so nothing deferred is due.
    /// </summary>
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

    /// <summary>
    /// Writes a statement whose answer nobody waits for; the session must have been claimed. If it fails, so does the session.
    /// </summary>
    public void Defer(string sql) => _deferred.Write(sql);

    /// <summary>Writes a query whose answer nobody waits for and that may fail; the session must have been claimed.</summary>
    /// <param name="sql">It returns at most one row.</param>
    /// <param name="answered">Gets the row as texts, or null, and the error.</param>
    public void Defer(string sql, Action<string?[]?, ServerErrorFields?> answered) => _deferred.Write(sql, answered);

    /// <summary>Sends what was deferred and is free again at once. False when the socket does not take all of it now.</summary>
    public bool EndDeferred()
    {
        var isSent = _wire.TrySend();
        End();
        return isSent;
    }

    /// <summary>Blocks until what was deferred has been answered. False when the time is over.</summary>
    public bool TakeDeferred(Deadline limit)
    {
        if (!_deferred.IsDue)
            return true;
        if (_wire.Pump(_deferred, limit) == Progress.NeedMore)
            return false;
        CheckDeferred();
        return true;
    }

    /// <summary>Awaits the answers to what was deferred.</summary>
    public async ValueTask TakeDeferredAsync(Deadline limit, CancellationToken token)
    {
        if (!_deferred.IsDue)
            return;
        await _wire.PumpAsync(_deferred, limit, token).ConfigureAwait(false);
        CheckDeferred();
    }

    /// <summary>The statements parsed so far may mean something else from now on.</summary>
    public void ForgetMeanings() => _epoch++;

    /// <summary>What was sent sets the session back, search path and all.</summary>
    public void NamesAreReset() => _hasOtherNames = false;

    /// <summary>When it was last given back, by <see cref="Environment.TickCount64"/>; kept here for the pool.</summary>
    public long IdleSince { get; set; }

    /// <summary>The statements since it was handed out; null unless the pool wants them.</summary>
    public RentalRecord? Record { get; set; }

    /// <summary>A reset that could not be written when the session was given back; kept here for the pool.</summary>
    public string? DueReset { get; set; }

    /// <summary>The session goes to a connection, which is told from now on what the server says unasked.</summary>
    public void HandOver(ISessionListener listener)
    {
        _listener.SetTarget(listener);
        Marks = SessionMarks.None;
        Reachable = Context.Reachable?.Invoke() ?? default;
        HasOtherParameters = false;
        Volatile.Write(ref _isHandedOver, true);
    }

    /// <summary>
    /// Whether the connection that has it was collected without having been closed, be it with a reader. Not while somebody waits for an answer,
    /// who may have kept the task alone.
    /// </summary>
    public bool IsForgotten => Volatile.Read(ref _isHandedOver)
        && State is SessionState.Idle or SessionState.Unsettled or SessionState.Busy or SessionState.Cancelling
        && !_wire.IsInUse
        && !_listener.TryGetTarget(out _);

    /// <summary>Marks the session as broken and returns what to throw.</summary>
    public Exception Failed(Exception cause)
    {
        Volatile.Write(ref _word, (CommandNumber << 8) | (long)SessionState.Broken);
        var error = _stopReason == StopReason.None || cause is PostgresException ? cause : SessionErrors.Stopped(_stopReason, cause);
        _breakCause ??= error;
        LoseTransaction();
        Statements.ServerForgotAll();
        _wire.Shutdown();
        // What was to be streamed will not be.
        Output.Clear();
        return error;
    }

    /// <summary>Says goodbye if nothing is in the way, without waiting, and closes.</summary>
    public void Dispose()
    {
        var former = (SessionState)(byte)Interlocked.Exchange(ref _word, (CommandNumber << 8) | (long)SessionState.Broken);
        _breakCause ??= SessionErrors.Closed();
        LoseTransaction();
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

    void IUnsolicitedMessages.Notice(ServerErrorFields notice)
    {
        if (_listener.TryGetTarget(out var listener))
            listener.Notice(notice);
    }

    void IUnsolicitedMessages.Notification(NotificationResponse notification)
    {
        if (_listener.TryGetTarget(out var listener))
            listener.Notification(new PgNotificationEventArgs(notification.ProcessId, notification.Channel, notification.Payload));
    }

    void IUnsolicitedMessages.ParameterStatus(ParameterStatus parameter)
    {
        _parameters[parameter.Name] = parameter.Value;
        if (parameter.Name == "standard_conforming_strings")
            StandardConformingStrings = parameter.Value != "off";
        // Not while logging in, and not what a reset sets back.
        if (State is SessionState.Opening or SessionState.Idle || _deferred.IsDue)
            return;
        HasOtherParameters = true;
        Mark(SessionMarks.State | SessionMarks.Names);
    }

    private bool TryChange(SessionState from, SessionState to)
    {
        var word = Volatile.Read(ref _word);
        return (SessionState)(byte)word == from && Interlocked.CompareExchange(ref _word, (word & ~0xffL) | (long)to, word) == word;
    }

    private Progress PumpUntilStopped(Exchange exchange, int timeout)
    {
        var progress = _wire.Pump(exchange, Deadline.EachWait(timeout));
        return progress == Progress.NeedMore ? PumpAfterTimeout(exchange, StopReason.Timeout) : progress;
    }

    private async ValueTask<Progress> PumpAfterDeferredAsync(Exchange exchange, int timeout, CancellationToken token)
    {
        await _wire.PumpAsync(_deferred, Deadline.EachWait(timeout), token).ConfigureAwait(false);
        CheckDeferred();
        return await _wire.PumpAsync(exchange, Deadline.EachWait(timeout), token).ConfigureAwait(false);
    }

    /// <summary>After answers were taken: a refusal ends the session.</summary>
    public void CheckDeferred()
    {
        if (_deferred.Failure is { } refused)
            throw Failed(SessionErrors.ResetRefused(SessionErrors.FromServer(refused, Context.Settings)));
    }
}
