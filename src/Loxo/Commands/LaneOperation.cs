using System.Threading.Tasks.Sources;
using Loxo.Session;
using Loxo.Transport;

namespace Loxo.Commands;

/// <summary>
/// A call that runs a command in a <see cref="Lane"/> and waits for its end. The lane uses the object again when the lane and the caller
/// have both done with it.
/// </summary>
internal sealed class LaneOperation : IExchangeCaller, IStatementSource, IValueTaskSource, ILoopCaller, IThreadPoolWorkItem
{
    private static long _calls;

    private readonly Lane _lane;
    private readonly List<EncodedValues> _values = [new()];
    private readonly SessionTypes _types;
    private ManualResetValueTaskSourceCore<bool> _core;
    // No command: the lane must not keep a connection alive that its user has forgotten.
    private StatementPlan[] _statements = new StatementPlan[1];
    private int _count;
    // A bit for each statement.
    private uint _prepared;
    private uint _barriers;
    private WeakReference<PgDataReader>? _reader;
    private volatile bool _isRead;
    private bool _blocks;
    private long _cancelledCall;
    // The number of the call times 4, and its State: a call that has ended can not be given up, whoever has the object by then.
    private long _state;
    private int _holders;
    private StopReason _givenUpFor;
    private CancellationToken _token;
    private CancellationTokenRegistration _registration;

    public LaneOperation(Lane lane)
    {
        _lane = lane;
        _types = new SessionTypes(lane.Session);
        Exchange = new CommandExchange(lane.Session) { Operation = this };
    }

    /// <summary>What runs the command, and has its rows afterwards.</summary>
    public CommandExchange Exchange { get; }

    /// <summary>When the time of the call is over, by <see cref="Environment.TickCount64"/>.</summary>
    public long ExpiresAt { get; private set; }

    /// <inheritdoc/>
    public int TimeLeft => ExpiresAt == long.MaxValue ? Timeout.Infinite : (int)Math.Max(0, ExpiresAt - Environment.TickCount64);

    /// <summary>When the command was added, by <see cref="Environment.TickCount64"/>.</summary>
    public long AddedAt { get; private set; }

    /// <summary>Tells this call from the others that use the object.</summary>
    public long Call => Volatile.Read(ref _state) >> 2;

    /// <summary>The statements.</summary>
    public ReadOnlySpan<StatementPlan> Statements => _statements.AsSpan(0, _count);

    /// <summary>The server has refused it because it writes, in a lane for commands that do not. None of its rows has been read.</summary>
    public bool HasTriedToWrite => Exchange is { IsOver: true, HasHandedOut: false } && WasRefused;

    /// <summary>The server has refused one of its statements because it writes, in a lane for commands that do not.</summary>
    public bool WasRefused => _lane.Reads && (IsRefusal(Exchange.Query.Error) || Exchange.Query.LaterErrors?.Exists(IsRefusal) == true);

    /// <summary>
    /// The server has executed nothing of it, because a type was dropped after the values had been encoded for it. It is encoded anew
    /// elsewhere, once.
    /// </summary>
    public bool HasOldTypes => !HasMoved && Exchange is { IsOver: true, HasHandedOut: false, Query.ExecutedNothing: true }
        && Exchange.Query.Error is { } error && StatementErrors.IsTypeGone(error);

    /// <summary>It was given up here, to run in another lane.</summary>
    public bool IsMoved => Current == State.GivenUp && _givenUpFor == StopReason.Moved;

    /// <summary>
    /// It has to run elsewhere: it was moved, or the connection was lost before a byte of it was sent, so the server has not run it.
    /// </summary>
    public bool GoesElsewhere => IsMoved || Exchange is { MayHaveRun: false, GivenUpFor: StopReason.None };

    /// <summary>Whether the call was cancelled when it had been moved already.</summary>
    public bool IsCancelled => Volatile.Read(ref _cancelledCall) == Call;

    /// <summary>Whether it has begun elsewhere before.</summary>
    public bool HasMoved { get; private set; }

    /// <summary>When it was first added to a lane, by <see cref="Environment.TickCount64"/>.</summary>
    public long FirstAddedAt { get; private set; }

    /// <summary>The number of its group in the lane; 0 if it began by itself.</summary>
    public long Group { get; set; }

    /// <summary>
    /// Encodes the values. False if the command cannot run in a lane: one of its types has to be looked up, or a value is a stream.
    /// </summary>
    /// <param name="command">It does not change until the call has ended.</param>
    /// <param name="statements">Its statements.</param>
    public bool TryEncode(IExecutable command, ReadOnlySpan<StatementPlan> statements)
    {
        (_count, _prepared, _barriers) = (statements.Length, 0, 0);
        if (_statements.Length < _count)
            _statements = new StatementPlan[_count];
        statements.CopyTo(_statements);
        for (var i = 0; i < _count; i++)
        {
            _prepared |= command.PreparesAt(i) ? 1u << i : 0;
            _barriers |= i < _count - 1 && command.HasBarrierAt(i) ? 1u << i : 0;
            var values = new StatementValues(_statements[i], command.ParametersAt(i));
            values.Bind(_types);
            if (_types.NamesToLookUp.Count > 0)
            {
                _types.CommandWritten();
                return false;
            }
            if (i == _values.Count)
                _values.Add(new EncodedValues());
            if (!_values[i].TryEncode(values, _types.Bound))
                return false;
        }
        return true;
    }

    /// <summary>The command is about to be written.</summary>
    /// <param name="blocks">Whether the caller blocks.</param>
    /// <param name="timeout">Milliseconds that the call may last.</param>
    /// <param name="firstAddedAt">When it was added to a lane that it has left; 0 for none.</param>
    public void Begin(bool blocks, int timeout, long firstAddedAt)
    {
        AddedAt = Environment.TickCount64;
        HasMoved = firstAddedAt != 0;
        FirstAddedAt = HasMoved ? firstAddedAt : AddedAt;
        ExpiresAt = timeout == Timeout.Infinite ? long.MaxValue : FirstAddedAt + timeout;
        Group = 0;
        _blocks = blocks;
        _core.Reset();
        _holders = 2;
        Volatile.Write(ref _state, (Interlocked.Increment(ref _calls) << 2) | State.Waiting);
    }

    // Called again if the statement has to be parsed anew: no code of the user's runs here, under the gate of the wire.
    void IStatementSource.Write(CommandExchange exchange)
    {
        var query = exchange.Query;
        query.IsSingle = _count == 1;
        for (var i = 0; i < _count; i++)
        {
            StatementWriter.WriteBound(query, _statements[i], _values[i], _values[i].Types, (_prepared & 1u << i) != 0, []);
            if ((_barriers & 1u << i) != 0)
                query.AddSync();
        }
    }

    /// <summary>Completes when the command has come to its end, or its rows have to be read before it goes on.</summary>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="PgException">The time is over.</exception>
    /// <param name="token">Gives the call up.</param>
    public ValueTask WaitAsync(CancellationToken token)
    {
        _token = token;
        if (token.CanBeCanceled)
            _registration = token.UnsafeRegister(static operation => ((LaneOperation)operation!).GiveUpCurrent(), this);
        return new(this, _core.Version);
    }

    /// <summary>Blocks; see <see cref="WaitAsync"/>.</summary>
    public void Wait()
    {
        Loop.AboutToBlock();
        if (!WaitUntil(ExpiresAt))
            GiveUp(StopReason.Timeout, Call);
        // Another thread may be giving it up.
        WaitUntil(long.MaxValue);
        ThrowIfGivenUp();
    }

    /// <summary>As <see cref="GiveUp"/>, and also if the caller goes on already and receives the rest itself.</summary>
    public void Cancel(long call)
    {
        if (GiveUp(StopReason.Cancel, call))
            return;
        Volatile.Write(ref _cancelledCall, call);
        Exchange.GiveUp(StopReason.Cancel, call);
    }

    /// <summary>The caller waits no longer. Nothing happens if it goes on already.</summary>
    /// <param name="reason">Why.</param>
    /// <param name="call">Its number: the object may be another call's by now.</param>
    /// <returns>Whether it waited.</returns>
    public bool GiveUp(StopReason reason, long call)
    {
        if (!TryMove(call, State.GivingUp))
            return false;
        _givenUpFor = reason;
        _lane.GiveUp(this, reason);
        if (!_blocks)
        {
            Volatile.Write(ref _state, (call << 2) | State.GivenUp);
            ResumeInPool();
            return true;
        }
        lock (_values)
        {
            Volatile.Write(ref _state, (call << 2) | State.GivenUp);
            Monitor.Pulse(_values);
        }
        return true;
    }

    /// <summary>
    /// The caller goes on: it reads what has arrived, and receives the rest itself. True if <see cref="Resume"/> is due; a caller that
    /// blocks has been woken, and one that goes on already is not.
    /// </summary>
    public bool TryArrive()
    {
        // A caller that blocks goes on as soon as it sees the state, and the object may be another call's then.
        if (!_blocks)
            return TryMove(Call, State.Arrived);
        lock (_values)
        {
            if (TryMove(Call, State.Arrived))
                Monitor.Pulse(_values);
        }
        return false;
    }

    /// <inheritdoc/>
    public bool AwaitsGroup { get; set; }

    /// <summary>
    /// Whether the reader of its rows was garbage-collected without having been closed: nobody reads the rest. Called under the gate of the
    /// wire.
    /// </summary>
    public bool IsForgotten => _isRead && Current == State.Arrived && !Exchange.IsOver && !_reader!.TryGetTarget(out _);

    /// <summary>The caller has the rows read by that reader.</summary>
    public void ReadBy(PgDataReader reader)
    {
        if (Exchange.IsOver)
            return;
        // The caller's task, which it has held so far, has the reader for its result.
        if (!_blocks)
            _core.Reset();
        if (_reader is null)
            _reader = new(reader);
        else
            _reader.SetTarget(reader);
        _isRead = true;
    }

    /// <summary>Whether the caller waits no longer.</summary>
    public bool IsGivenUp => Current is State.GivingUp or State.GivenUp;

    void IExchangeCaller.Ended()
    {
        if (!AwaitsGroup)
            Ended();
    }

    /// <summary>The command has ended, and its group if it awaits that.</summary>
    public void Ended()
    {
        AwaitsGroup = false;
        _lane.Ended(this);
        Release();
    }

    public void Release()
    {
        if (Interlocked.Decrement(ref _holders) == 0)
            Recycle();
    }

    /// <summary>It was not written: the lane has it again.</summary>
    public void Recycle()
    {
        // There may be fewer: it was not encoded to the end.
        for (var i = 0; i < Math.Min(_count, _values.Count); i++)
            _values[i].Clear();
        Exchange.ForgetRows();
        Array.Clear(_statements);
        (_count, _token, _registration, _isRead) = (0, default, default, false);
        _lane.Free.Recycle(this);
    }

    /// <inheritdoc/>
    /// <remarks>It is resumed once for each call that does not block, by this method or the other.</remarks>
    public void Resume() => _core.SetResult(true);

    /// <inheritdoc/>
    public void ResumeInPool()
    {
        _lane.Resuming();
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    // The next call is another caller's.
    long ILoopCaller.KeepsUntil { get => 0; set { } }

    void IThreadPoolWorkItem.Execute()
    {
        _lane.Resumed();
        _core.SetResult(true);
    }

    void IValueTaskSource.GetResult(short token)
    {
        _core.GetResult(token);
        // Waits for a callback that is running: it must not meet the next command.
        _registration.Dispose();
        ThrowIfGivenUp();
    }

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    private bool WaitUntil(long time)
    {
        lock (_values)
        {
            while (Current is State.Waiting or State.GivingUp)
            {
                var left = time == long.MaxValue ? Timeout.Infinite : (int)Math.Max(0, time - Environment.TickCount64);
                if (!Monitor.Wait(_values, left) && left != Timeout.Infinite)
                    return false;
            }
        }
        return true;
    }

    private void ThrowIfGivenUp()
    {
        if (Current != State.GivenUp || IsMoved)
            return;
        var error = SessionErrors.GivenUp(_givenUpFor, _token);
        Exchange.Trace?.End(error);
        Release();
        throw error;
    }

    private static bool IsRefusal(ServerErrorFields? error) => error is { SqlState: SqlStates.ReadOnlySqlTransaction };

    private int Current => (int)(Volatile.Read(ref _state) & 3);

    private bool TryMove(long call, int to)
    {
        var waiting = (call << 2) | State.Waiting;
        return Interlocked.CompareExchange(ref _state, (call << 2) | (uint)to, waiting) == waiting;
    }

    // By a token, which the call has let go of before it ends.
    private void GiveUpCurrent() => GiveUp(StopReason.Cancel, Call);

    private static class State
    {
        public const int Waiting = 0;
        public const int Arrived = 1;
        public const int GivingUp = 2;
        public const int GivenUp = 3;
    }
}
