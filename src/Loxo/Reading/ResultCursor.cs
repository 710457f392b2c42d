using System.Data;
using System.Data.Common;
using System.Diagnostics;
using System.Runtime.ExceptionServices;
using Loxo.Commands;
using Loxo.Protocol;
using Loxo.Session;

namespace Loxo.Reading;

/// <summary>A reader's position: part of its object, so an execution makes no second one. The reader awaits what has to be.</summary>
internal struct ResultCursor
{
    private byte _behavior; // in as few bytes as possible: a reader is made for each execution
    private State _state = State.Closed;
    private bool _hasRows;
    private bool _isPeeked;
    private bool _isLeft;
    private long _number;
    private long _recordsAffected = -1;
    // 1 once a thread has begun to close the reader: only that one reads on.
    private byte _isClosing;
    // A call moves the reader on.
    private bool _isInUse;
    private bool _isDisposed;

    public ResultCursor()
    {
    }

    private enum State : byte
    {
        Closed,

        /// <summary>In a result: before, on or after its rows.</summary>
        InResult,

        /// <summary>After the last result; the server is ready, the reader not yet closed.</summary>
        AtEnd,
    }

    /// <summary>Rows.Ended when no result is open: the session's next command reuses the same object.</summary>
    public Rows Rows { readonly get; private set; } = Rows.Ended;

    /// <summary>The columns of the result that is being read; null for none.</summary>
    public ResultShape? Shape { readonly get; private set; }

    public CommandExchange Exchange { readonly get; private set; } = null!;

    public IExecutable Owner { readonly get; private set; } = null!;

    public CancellationToken Token { readonly get; private set; }

    /// <summary>From now on a closed reader says that it is disposed. False if it was said before.</summary>
    public bool MarkDisposed() => !_isDisposed && (_isDisposed = true);

    public readonly bool IsClosed => _state == State.Closed;

    public readonly void CheckHasEnded()
    {
        // What was given up in a lane is over for its caller.
        if (_state == State.InResult && Exchange.GivenUpFor == StopReason.None && Exchange.IsRunning(_number))
            throw new PgOperationInProgressException(Owner as DbCommand);
    }

    public readonly bool HasRows => IsClosed ? throw ReaderErrors.Closed(_isDisposed) : _hasRows;

    public readonly int Depth => IsClosed ? throw ReaderErrors.Closed(_isDisposed) : 0;

    public readonly int FieldCount => IsClosed ? throw ReaderErrors.Closed(_isDisposed) : Shape?.Count ?? 0;

    public readonly bool IsOnRow => _state == State.InResult && !_isPeeked && Rows.IsOnRow;

    public readonly long RecordsAffected => _state == State.InResult ? Exchange.Query.RecordsAffected() : _recordsAffected;

    public readonly IReadOnlyList<PgBatchCommand> Statements =>
        Owner.Results(_state == State.InResult ? Exchange.Query : null);

    public readonly bool HasOutputsToFill => _state == State.InResult && Exchange.Session.State != SessionState.Broken && Owner.HasOutputs;

    /// <summary>Whether the user wants no more results, though there are some that fill output parameters.</summary>
    public readonly bool HidesResults => IsSingle && Owner.HasOutputs;

    private readonly bool IsSingle => ((CommandBehavior)_behavior & (CommandBehavior.SingleResult | CommandBehavior.SingleRow)) != 0;

    /// <summary>Whether the command has come to its end.</summary>
    public readonly bool HasEnded => _state != State.InResult;

    /// <summary>Whether the whole answer has arrived, or the command has come to its end.</summary>
    public readonly bool IsAnswered => HasEnded || Exchange.IsAnswered;

    /// <summary>Whether the next row, if there is one, comes from the server. Otherwise <see cref="ReadKnown"/> tells.</summary>
    public readonly bool CanAdvance => _state == State.InResult && !_isPeeked && !_isLeft && !Rows.HasEnded;

    public readonly bool ClosesConnection => ((CommandBehavior)_behavior & CommandBehavior.CloseConnection) != 0;

    public void Start(CommandExchange exchange, IExecutable owner, CommandBehavior behavior, CancellationToken token)
    {
        Exchange = exchange;
        _number = exchange.Operation?.Call ?? exchange.Session.CommandNumber;
        Rows = exchange.Rows;
        Owner = owner;
        _behavior = (byte)behavior;
        Token = token;
        _state = State.InResult;
        _isClosing = 0;
        // Until it has entered its first result.
        _isInUse = true;
        _isDisposed = false;
        _recordsAffected = -1;
    }

    /// <summary>
    /// A call begins that moves the reader on; <see cref="EndCall"/> ends it. A thread that closes the connection meanwhile does not give
    /// the session back, or the call could take messages of the next renter.
    /// </summary>
    /// <exception cref="InvalidOperationException">Another call is at work, or the reader is being closed.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void BeginCall()
    {
        if (_isInUse)
            throw ReaderErrors.InUse();
        Volatile.Write(ref _isInUse, true);
        // The processor may read this first. TryAbandon, which writes it, makes up for that.
        if (Volatile.Read(ref _isClosing) == 0)
            return;
        EndCall();
        throw ReaderErrors.Closed(_isDisposed);
    }

    /// <summary>The call has come to its end.</summary>
    public void EndCall() => Volatile.Write(ref _isInUse, false);

    public bool TryTake() => Rows.TryTake() && Taken();

    /// <summary>Reads without the server: the row that was peeked at, or none.</summary>
    public bool ReadKnown()
    {
        CheckOpen();
        if (!_isPeeked)
        {
            Rows.Leave();
            return false;
        }
        _isPeeked = false;
        return Taken();
    }

    public bool ReadAfter(Progress progress, CancellationToken token)
    {
        if (progress == Progress.Row && TryTake())
            return true;
        Rows.End();
        if (progress == Progress.Done)
            Finish(progress, token);
        else
            CheckOpen(); // closed by another thread meanwhile: that must not look like the end of the rows
        return false;
    }

    /// <summary>Stands on the next row, which the next read returns. False when there is none.</summary>
    public bool TryPeek() => _isPeeked = CanAdvance && Rows.TryTake();

    /// <summary>Whether the reader hides a row, so that its values are read between two calls only.</summary>
    public void SetPeeked(bool isPeeked) => _isPeeked = isPeeked;

    public bool LeaveResult()
    {
        CheckOpen();
        if (_state == State.AtEnd)
            return false;
        if (IsSingle && !Owner.HasOutputs)
            Exchange.SkipRest();
        if (!Rows.HasEnded)
            Exchange.LeaveResult();
        return true;
    }

    /// <summary>Enters the first result. If an error came before it, that is thrown.</summary>
    public void EnterFirst(Progress progress)
    {
        Exchange.Trace?.Responded();
        Enter(progress, Token);
    }

    /// <summary>There is no first result. False if the command runs on, so that its rest is due when the connection is closed.</summary>
    public bool TryDropFailed()
    {
        if (_state == State.InResult && Exchange.Session.State != SessionState.Broken)
            return false;
        Drop(endsRows: false);
        return true;
    }

    /// <summary>Enters the result that has begun. False when the command has ended instead.</summary>
    public bool Enter(Progress progress, CancellationToken token)
    {
        _isPeeked = _isLeft = false;
        _hasRows = progress == Progress.Row;
        Shape = null;
        if (progress == Progress.Done)
        {
            Rows.End();
            Finish(progress, token);
            return false;
        }
        Shape = Exchange.Result!.Shape!;
        Rows.Start(Shape.Count, _hasRows);
        Rows.Timeout = Owner.TimeoutMilliseconds;
        return true;
    }

    /// <summary>ReadyForQuery has come: the session is free again, whatever else the caller does with the reader.</summary>
    public void Finish(Progress progress, CancellationToken token)
    {
        Debug.Assert(progress == Progress.Done, "the exchange was to be run to its end");
        Rows.End();
        Rows = Rows.Ended;
        _state = State.AtEnd;
        if (CommandRunner.End(Owner, Exchange, token, out _recordsAffected) is { } error)
            ExceptionDispatchInfo.Throw(error);
    }

    /// <summary>
    /// As <see cref="Finish"/>. A caller who cancels a command and then closes its reader has asked for just that: it is no error.
    /// </summary>
    public void FinishForClose(Progress progress)
    {
        try
        {
            Finish(progress, Token);
        }
        catch (Exception e) when (e is OperationCanceledException || Exchange.GivenUpFor != StopReason.None)
        {
        }
    }

    /// <summary>Null: closed already. True: the exchange must be run to its end first.</summary>
    public bool? BeginClose()
    {
        if (_state == State.Closed || Interlocked.Exchange(ref _isClosing, 1) != 0)
            return null;
        // It may be broken, or recovered by the pool: then a finalizer closes the reader of a collected connection.
        if (_state == State.AtEnd || !Exchange.IsRunning(_number))
            return false;
        Exchange.SkipRest();
        return true;
    }

    public void EndClose() => Drop(endsRows: true);

    /// <summary>
    /// The connection is closed under the reader. Without its session, another reader may be using the rows. True if the command still
    /// runs, and its rest can be skipped: no other thread is in the middle of it. Otherwise the session is not the reader's, and may be in
    /// use by the end of an ambient transaction.
    /// </summary>
    public bool TryAbandon(bool hasSession)
    {
        if (_state == State.Closed || Interlocked.Exchange(ref _isClosing, 1) != 0)
            return false;
        Interlocked.MemoryBarrierProcessWide();
        var isRunning = _state == State.InResult && Exchange.IsRunning(_number);
        // A value of a row in pieces is received by the call that reads it, which does not enter.
        var canSkip = isRunning && !_isInUse && !(IsOnRow && Rows.IsInPieces);
        Drop(endsRows: hasSession);
        return canSkip;
    }

    /// <summary>Goes as far as what has arrived allows.</summary>
    public readonly Progress Advance() => Exchange.AdvanceBuffered();

    public readonly Progress AdvanceBuffered()
    {
        Rows.Leave();
        return Advance();
    }

    /// <summary>Blocks until the next row, the end of the result or of the command.</summary>
    public readonly Progress Pump() => Exchange.Pump(Owner.TimeoutMilliseconds);

    /// <inheritdoc cref="Pump"/>
    public readonly ValueTask<Progress> PumpAsync(CancellationToken token) => Exchange.PumpAsync(Owner.TimeoutMilliseconds, token);

    public readonly Progress PumpToResult()
    {
        var progress = Pump();
        if (Exchange.MustLookUpElsewhere)
            SpareSession.LookUp(Exchange, Owner.TimeoutMilliseconds);
        return progress;
    }

    /// <summary>As <see cref="Advance"/>, for a reader that is being closed: nowhere while another call is at work.</summary>
    public readonly Progress AdvanceToClose() => _isInUse ? Progress.NeedMore : Advance();

    /// <summary>Runs the command to its end without its rows.</summary>
    /// <exception cref="InvalidOperationException">Another call is at work. The session goes with the connection.</exception>
    public readonly Progress Drain() => _isInUse ? throw ReaderErrors.InUse() : Exchange.Drain(Owner.TimeoutMilliseconds);

    /// <inheritdoc cref="Drain"/>
    public readonly ValueTask<Progress> DrainAsync() =>
        _isInUse ? throw ReaderErrors.InUse() : Exchange.DrainAsync(Owner.TimeoutMilliseconds);

    /// <summary>Whether its rest in a lane has to be read, or what it has changed would be undone. Not while another call reads.</summary>
    public readonly bool MustBeRead => _state == State.InResult && !_isInUse && Exchange.MustBeRead && Exchange.IsRunning(_number);

    /// <summary>Asks the server to stop the command.</summary>
    public readonly void Stop() => Exchange.Stop(_number);

    public readonly ResultColumn OnRow(int ordinal)
    {
        if (Shape is not { } shape || !Rows.IsOnRow || _isPeeked)
            throw _state == State.Closed ? ReaderErrors.Closed(_isDisposed) : ReaderErrors.NoRow();
        return (uint)ordinal < (uint)shape.Count ? shape[ordinal] : throw ReaderErrors.NoColumn(ordinal, shape.Count);
    }

    /// <summary>Returns a value that was read since <see cref="Rows.Version"/> was so, unless another thread has left its row.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly T StillAt<T>(long version, T value)
    {
        Volatile.ReadBarrier();
        return Rows.IsAt(version) ? value : throw ReaderErrors.HasMovedOn();
    }

    /// <summary>
    /// Whether a column of that built-in type takes the column's values as the server has sent them. False where the user has mapped types,
    /// which may mean something else by them.
    /// </summary>
    public readonly bool PassesOn(int ordinal, uint typeOid) =>
        Column(ordinal) is { Format: FormatCode.Binary, Type.IsOfUser: false, Types.Mappings.IsEmpty: true } column
            && column.Description.TypeOid == typeOid && !column.Type.MayRefuseItsOutput;

    /// <summary>The bytes of a value. False for NULL, and for a row that is read in pieces.</summary>
    public readonly bool TryGetBytes(int ordinal, out ReadOnlySpan<byte> value)
    {
        value = default;
        OnRow(ordinal);
        return !Rows.IsInPieces && Rows.TryGet(ordinal, out value);
    }

    /// <summary>The bytes of all values of the row, each behind its length. False for a row that is read in pieces.</summary>
    public readonly bool TryGetBytes(out ReadOnlySpan<byte> values)
    {
        values = default;
        var last = Result().Count - 1;
        OnRow(last);
        if (Rows.IsInPieces)
            return false;
        var (start, length) = Rows.Place(last);
        var first = Rows.Place(0).Start - sizeof(int);
        values = Rows.Buffer.AsSpan(first, start + Math.Max(length, 0) - first);
        return true;
    }

    public readonly ResultColumn Column(int ordinal)
    {
        var shape = Result();
        return (uint)ordinal < (uint)shape.Count ? shape[ordinal] : throw ReaderErrors.NoColumn(ordinal, shape.Count);
    }

    public readonly ResultShape Result()
    {
        CheckOpen();
        return Shape ?? throw ReaderErrors.NoResult();
    }

    /// <summary>Whether so much of a column is there without waiting, as it is unless its row is still arriving.</summary>
    public readonly bool IsThere(int ordinal, Reach reach)
    {
        if (!Rows.IsInPieces)
            return true;
        OnRow(ordinal);
        return Rows.Part.TryReach(ordinal, reach);
    }

    public readonly void CheckOpen()
    {
        if (_state == State.Closed)
            throw ReaderErrors.Closed(_isDisposed);
    }

    // Of a single row wanted, the others are left to the end of the result.
    private bool Taken()
    {
        _isLeft = ((CommandBehavior)_behavior & CommandBehavior.SingleRow) != 0;
        return true;
    }

    private void Drop(bool endsRows)
    {
        _state = State.Closed;
        if (endsRows)
            Rows.End();
        Rows = Rows.Ended;
        Shape = null;
    }
}
