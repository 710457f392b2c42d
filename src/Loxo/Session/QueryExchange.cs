using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;

namespace Loxo.Session;

/// <summary>
/// A command: one statement or several, in one flight.
/// F: [Close]* of statements that made room, [Parse Bind Execute] for a prepended BEGIN, then for each statement: [[Close] Parse] Bind
/// [Describe] Execute, and a Sync where a group ends; <see cref="PortalFetch"/> has the rows of the last one in portions
/// B: 3*, for each statement: [[3] 1] 2 [T | n] D* (C | I), Z for each Sync; after E nothing until the next Z
/// A statement that copies from the client is refused. F: CopyFail Sync Query(empty) / B: E [Z] I Z
/// </summary>
internal sealed partial class QueryExchange(ServerSession session) : MessageExchange(session.Owner, new ExpectedReplies()), ISkippable
{
    // Long enough that no error of a statement can have the same text by chance.
    private static readonly string CopyRefusal = $"the client does not copy in an ordinary command ({Guid.NewGuid():N})";

    private StatementRun[] _runs = [new()];
    private int _count;
    private int _current;
    private int _groupStart;
    private int _syncsLeft;
    private int _groups;
    private readonly GroupPace _pace = new(session);
    private long _firstGroup;
    private bool _endsGroup;
    private bool _groupWasEmpty;
    private bool _isFirstInGroup;
    private string? _begin;
    private readonly DueCloses _closes = new(session);
    private bool _copyIsRefused;
    private bool _leaving;

    /// <summary>Rows and ends of results are skipped.</summary>
    public bool SkipResults { get; set; }

    /// <inheritdoc/>
    public long BytesToSkip { get; set; } = long.MaxValue;

    /// <summary>Whether stopping the command loses nothing: it is at its last statement, in no transaction block, and only reads.</summary>
    public bool MayBeStopped => OnlyReads && _current >= _count - 1 && !session.Effects.MayHideChanges
        && Begun is null && session.TransactionStatus == TransactionStatus.Idle;

    /// <summary>Every statement is a query whose text changes nothing.</summary>
    public bool OnlyReads { get; set; }

    /// <summary>The exchange stops at a long row before that has arrived whole, so that the row is read in pieces.</summary>
    public bool RowsInPieces { get; set; }

    /// <summary>The first error of the server, or null.</summary>
    public ServerErrorFields? Error { get; private set; }

    /// <summary>The statement that failed, counted as the caller does; -1 when none did.</summary>
    public int FailedStatement => Error?.Statement ?? -1;

    /// <summary>Errors of later groups, which run although an earlier one failed; null when there is none.</summary>
    public List<ServerErrorFields>? LaterErrors { get; private set; }

    /// <summary>The statement whose row or end the exchange stopped at.</summary>
    public StatementRun? Result { get; private set; }

    /// <summary>How many groups there are: each is ended by a Sync, and what fails in one does not touch the others.</summary>
    public int Groups => _groups;

    /// <summary>Whether <see cref="FailedStatement"/> was refused by Parse or Bind: the server executed nothing of it.</summary>
    public bool FailedBeforeExecution { get; private set; }

    /// <summary>The server executed nothing of the command: its first statement was refused, and the others were skipped.</summary>
    public bool ExecutedNothing => FailedBeforeExecution && FailedStatement == 0 && Groups <= 1;

    /// <summary>
    /// Whether text and database prove that the command changes nothing: its one statement is a query that calls only functions known to
    /// change nothing, and <see cref="DatabaseKnowledge.HidesNothing"/>.
    /// </summary>
    public bool ChangesNothing { get; set; }

    /// <summary>
    /// Whether the first statement may be planned twice, if the formats that were remembered for it do not fit: its text calls no function,
    /// or the command <see cref="ChangesNothing"/>.
    /// </summary>
    public bool MayPlanAgain { get; set; }

    /// <summary>The command is a single statement, whose columns may be asked for before it runs.</summary>
    public bool IsSingle { get; set; }

    /// <summary>Whether columns may be looked up before the command is written.</summary>
    public bool LooksUpColumns { get; set; }

    /// <summary>The statement whose columns have to be looked up before it can be written; null for none.</summary>
    public (string Sql, uint[] Types)? ColumnsToLookUp { get; private set; }

    /// <summary>Where the statements run.</summary>
    public ServerSession Session => session;

    /// <summary>Fetches the rows of the last statement in portions, if it is asked to.</summary>
    public PortalFetch Portal { get; } = new(session);

    /// <summary>The BEGIN that went in front; null for none.</summary>
    public string? Begun { get; private set; }

    /// <summary>The streams that were sent; empty again when the command has succeeded.</summary>
    public OutputSource[] Sources { get; private set; } = [];

    /// <summary>The caller's statements that were sent, without a prepended BEGIN.</summary>
    public ReadOnlySpan<StatementRun> Runs => _runs.AsSpan(OwnRuns, _count - OwnRuns);

    private int OwnRuns => _count == 0 || !_runs[0].IsOwn ? 0 : _count > 1 && _runs[1].IsOwn ? 2 : 1;

    /// <summary>The exchange whose error made the server skip the statements up to the first Sync; null if none did.</summary>
    public Exchange? SkippedAfter { get; private set; }

    public override bool SkipAfter(Exchange failed)
    {
        Expected.SkipToReady();
        _closes.Skipped();
        SkippedAfter = failed;
        return _endsGroup;
    }

    /// <summary>Tells this command from others of the session: how many groups were written before it.</summary>
    public long Number => _firstGroup;

    /// <summary>How many ReadyForQuery are still to come.</summary>
    public int SyncsLeft => _syncsLeft;

    /// <summary>Whether some of it is sent only when what was sent before is answered.</summary>
    public bool IsHeldBack => _pace.IsHolding;

    /// <summary>The conversion of a result was stopped: the remaining results are skipped, and this is the error of the command.</summary>
    public void Interrupt(ServerErrorFields error)
    {
        Error ??= error;
        SkipResults = true;
    }

    /// <summary>The server has refused a lookup in a transaction, and the statement with it: it is not sent.</summary>
    public void Refuse(ServerErrorFields error) => Fail(error);

    /// <summary>Skips the rest of the current result, its end included.</summary>
    public void LeaveResult() => _leaving = true;

    /// <summary>Rows changed by all statements so far; -1 when none was of a kind that changes rows.</summary>
    public long RecordsAffected() => StatementRun.RowsAffected(Runs);

    public override Progress Advance(MessageReader messages)
    {
        while (true)
        {
            if (HasEnded)
                return Progress.Done;
            var progress = base.Advance(messages);
            if (progress != Progress.NeedMore || !messages.IsAtLongRow)
                return progress;
            Expected.AcceptRow();
            if (!SkipResults && !_leaving)
                return RowsInPieces ? OnRow(0) : Progress.NeedMore;
            // This row will be skipped, so it is not buffered.
            messages.EnterRow();
            BytesToSkip -= messages.RowLeft;
        }
    }

    public override PgException? OnEndOfStream() => Error is null ? null : SessionErrors.FromServer(Error, session.Context);

    protected override Progress On(BackendMessage message)
    {
        switch (message.Type)
        {
            case BackendMessageType.DataRow:
                return OnRow(message.Body.Length);
            case BackendMessageType.CloseComplete:
                OnClosed();
                return Progress.NeedMore;
            case BackendMessageType.ParseComplete:
                OnParsed(Current);
                return Progress.NeedMore;
            case BackendMessageType.RowDescription:
                return OnRowDescription(Current, message.Body);
            case BackendMessageType.NoData:
                return OnNoData(Current);
            case BackendMessageType.CommandComplete:
                Current.Complete(new CommandComplete(message.Body), session);
                return OnComplete();
            case BackendMessageType.PortalSuspended:
                return OnSuspended();
            case BackendMessageType.EmptyQueryResponse when _syncsLeft == 0 && _endsGroup:
                return Progress.NeedMore; // for the empty Query behind CopyFail
            case BackendMessageType.EmptyQueryResponse:
                Current.CompleteEmpty();
                return OnComplete();
            case BackendMessageType.ErrorResponse:
                return OnError(new ErrorOrNotice(message.Body).ToFields());
            case BackendMessageType.ReadyForQuery:
                return OnReady(new ReadyForQuery(message.Body));
            case BackendMessageType.CopyInResponse or BackendMessageType.CopyOutResponse:
                RefuseCopy(message.Type);
                return Progress.NeedMore;
            default: // nothing to do for the others that are due
                return Progress.NeedMore;
        }
    }

    private StatementRun Current => _current < _count
        ? _runs[_current]
        : throw ProtocolErrors.UnexpectedMessage("ReadyForQuery", BackendMessageType.CommandComplete);

    private void OnClosed()
    {
        if (!_closes.TryTake() && _current < _count)
            Current.Parse?.Closed();
    }

    private Progress OnRow(int bytes)
    {
        if (SkipResults || _leaving || Current.IsOwn)
            return (BytesToSkip -= bytes) < 0 ? Progress.Row : Progress.NeedMore;
        Result = Current;
        return Progress.Row;
    }

    private void OnParsed(StatementRun run)
    {
        if (run.Parse is not { } parse)
            return;
        run.Parse = null;
        run.WasParsed = session.Counters.CountParse(parse);
        parse.Answered();
        session.Statements.CloseIfRemoved(parse.Statement);
    }

    private Progress OnRowDescription(StatementRun run, ReadOnlySpan<byte> body)
    {
        var types = session.Types.Known;
        var shape = ResultShape.Read(new RowDescription(body), types, run.IsDescription, run.FormatsAreChosen);
        run.Shape = shape;
        // Cache the formats for the next execution; this one may have used different formats.
        if (run.DescribesStatement)
        {
            var next = run.IsDescription || shape.IsInPreferredFormats
                ? shape
                : ResultShape.Read(new RowDescription(body), types, ofStatement: true);
            run.Describe(next, types);
        }
        if (run is { Sql: { } sql, FormatsAreChosen: false } && !run.Remembered.AsSpan().SequenceEqual(shape.Formats))
            session.Context.Database.Formats.Keep(sql, run.Types, shape.Formats);
        return run.IsDescription ? OnDescribed(run) : Progress.NeedMore;
    }

    private Progress OnNoData(StatementRun run)
    {
        if (run.DescribesStatement)
            run.Describe(null, session.Types.Stamp);
        return run.IsDescription ? OnDescribed(run) : Progress.NeedMore;
    }

    private Progress OnDescribed(StatementRun run)
    {
        run.CompleteEmpty();
        return OnComplete();
    }

    private Progress OnSuspended()
    {
        Current.Suspend(Portal.Rows);
        if (Portal.GoOn(Requests, isWanted: !SkipResults && !_leaving))
            return Progress.NeedMore;
        Current.CompleteEarly();
        return OnComplete();
    }

    private Progress OnComplete()
    {
        _copyIsRefused = false;
        var run = Current;
        session.Counters.Count(run);
        if (_begin is not null && _current == 0)
            _pace.Begun();
        if (++_current == _count)
            Portal.End(Requests);
        var isLeft = _leaving;
        _leaving = false;
        if (run.IsOwn || run.Shape is null || SkipResults || isLeft)
            return Next;
        Result = run;
        return Progress.ResultEnd;
    }

    private Progress Next => HasEnded ? Progress.Done : Progress.NeedMore;

    // Without a Sync of its own it ends with its last statement. Behind a FATAL error the server closes the connection.
    private bool HasEnded => !_endsGroup && Expected.IsEmpty && Error is not { InvariantSeverity: "FATAL" or "PANIC" };

    private Progress OnReady(ReadyForQuery ready)
    {
        // The other groups would run outside of the transaction.
        if (RefusedBegin is not null && _syncsLeft > 1)
            (_count, _syncsLeft) = (_pace.TakeBack(_runs, _count, Expected), 1);
        session.Ready(ready.Status, isLast: _syncsLeft <= 1 && session.Wire.Flights.Count <= 1);
        if (_syncsLeft > 0)
            EndGroup();
        if (!Expected.IsEmpty)
            return Progress.NeedMore;
        if (Error is null)
            Sources = [];
        return Progress.Done;
    }

    private void EndGroup()
    {
        session.BeginAgain(RefusedBegin);
        _begin = null;
        session.Groups.Answered(_firstGroup + _groups - _syncsLeft);
        _copyIsRefused = false;
        while (_groupStart < _count && !_runs[_groupStart++].EndsGroup)
        {
        }
        _current = _groupStart;
        _syncsLeft--;
        _pace.Next();
    }

    private Progress OnError(ServerErrorFields error)
    {
        _closes.Skipped();
        // The current result ends here; the rows of the next group belong to another result.
        var endsResult = _syncsLeft > 1 && _current < _count && ReferenceEquals(Result, _runs[_current]) && !SkipResults && !_leaving;
        _leaving = false;
        if (_syncsLeft > 0 || !_endsGroup) // not of the empty Query behind CopyFail
            Note(error);
        if (_syncsLeft == 1)
            Portal.End(Requests);
        return endsResult ? Progress.ResultEnd : Next;
    }

    private void Note(ServerErrorFields error)
    {
        // It repeats the text of our CopyFail, or names a statement in place of data; the error that is kept says what the caller did.
        if (_copyIsRefused
            && (error.SqlState == SqlStates.ProtocolViolation
                || error.MessageText?.Contains(CopyRefusal, StringComparison.Ordinal) == true))
            return;
        // The server has left copy mode for a reason of its own, which is the one that the caller has to know.
        if (_copyIsRefused)
            ForgetLastError();
        var isRefused = StatementErrors.ComesBeforeFunctions(error, Expected.FailedAt);
        if (isRefused && _current < _count)
            error = StatementErrors.CorrectCaches(session, Current, error);
        else if (StatementErrors.IsTypeGone(error))
            session.Context.Database.ForgetMeanings(); // a statement that is parsed keeps the type
        if (Error is null)
            FailedBeforeExecution = isRefused;
        Fail(error);
    }

    private void Fail(ServerErrorFields error)
    {
        error.Statement = CurrentStatement;
        session.Counters.Failed += Error is null ? 1 : 0;
        if (Error is null)
            Error = error;
        else
            (LaterErrors ??= []).Add(error);
    }

    private void ForgetLastError()
    {
        session.Counters.Failed -= LaterErrors is null ? 1 : 0;
        if (LaterErrors is null)
            Error = null;
        else if (LaterErrors.Count > 1)
            LaterErrors.RemoveAt(LaterErrors.Count - 1);
        else
            LaterErrors = null;
    }

    // As the caller counts. What fails at a Sync, such as a deferred constraint, is an error of the last statement before it.
    private int CurrentStatement => Math.Max(0, Math.Min(IsAtSync ? _current - 1 : _current, _count - 1) - OwnRuns);

    private bool IsAtSync => _current > _groupStart && _current <= _count && _runs[_current - 1].EndsGroup;

    // When more statements follow before the next Sync, the server loses its place in the stream and closes the connection by itself
    // (CopyGetData, copyfromparse.c); before version 14 it ends the copy and skips them. When more groups follow, nobody can tell which of
    // them it has skipped.
    private void RefuseCopy(BackendMessageType direction)
    {
        Fail(SessionErrors.CopyInCommand());
        _copyIsRefused = true;
        if (direction == BackendMessageType.CopyOutResponse)
            return; // the copied data is skipped
        if (_syncsLeft > 1 || !_endsGroup || session.Wire.Flights.Count > 1)
            throw SessionErrors.CopyInBatch();
        Portal.RefuseCopyIn(Requests, CopyRefusal);
    }
}
