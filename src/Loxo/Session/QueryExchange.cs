using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;

namespace Loxo.Session;

/// <summary>
/// A command: one statement or several, in one flight.
/// F: [Close]* of statements that made room, [Parse Bind Execute] for a prepended BEGIN, then for each statement: [[Close] Parse] Bind [Describe]
/// Execute, and a Sync where a group ends
/// B: 3*, for each statement: [[3] 1] 2 [T | n] D* (C | I | s), Z for each Sync; after E nothing until the next Z
/// </summary>
internal sealed class QueryExchange(ServerSession session) : Exchange(session)
{
    private StatementRun[] _runs = [new()];
    private int _count;
    private int _current;
    private int _groupStart;
    private int _syncsLeft;
    private int _groups;
    private long _group;
    private long _writtenFrom;
    private string? _begin;
    private bool _inCopy;
    private bool _copyRefused;
    private bool _leaving;

    /// <summary>Rows and ends of results are passed over: nobody reads them.</summary>
    public bool SkipResults { get; set; }

    /// <summary>A long row is stopped at before it has arrived whole: who reads it takes it in pieces.</summary>
    public bool RowsInPieces { get; set; }

    /// <summary>The first error of the server, or null.</summary>
    public ServerErrorFields? Error { get; private set; }

    /// <summary>The statement that failed, counted as the caller does; -1 when none did.</summary>
    public int FailedStatement { get; private set; }

    /// <summary>Errors of later groups, which run although an earlier one failed; null when there is none.</summary>
    public List<ServerErrorFields>? LaterErrors { get; private set; }

    /// <summary>The statement whose row or end the exchange stopped at.</summary>
    public StatementRun? Result { get; private set; }

    /// <summary>How many groups there are: each is ended by a Sync, and what fails in one does not touch the others.</summary>
    public int Groups => _groups;

    /// <summary>Every statement is a query or changes rows, so that the server has undone all of it if it failed as one group.</summary>
    public bool CanBeUndone { get; set; }

    /// <summary>The command runs for the second time, since something had to be prepared anew.</summary>
    public bool IsRepeated { get; private set; }

    /// <summary>The next command is a repetition.</summary>
    public bool RepeatNext { get; set; }

    /// <summary>The BEGIN that went in front; null for none.</summary>
    public string? Begun { get; private set; }

    /// <summary>What was streamed; empty again when the command has succeeded.</summary>
    public OutputSource[] Sources { get; private set; } = [];

    /// <summary>What was sent, without statements of ours.</summary>
    public ReadOnlySpan<StatementRun> Runs => _runs.AsSpan(OwnRuns, _count - OwnRuns);

    private int OwnRuns => _count > 0 && _runs[0].IsOwn ? 1 : 0;

    /// <summary>Starts writing a command; a BEGIN that is pending goes in front.</summary>
    public void Start()
    {
        _count = _current = _groupStart = _syncsLeft = _groups = 0;
        _group++;
        CanBeUndone = true;
        IsRepeated = RepeatNext;
        RepeatNext = false;
        SkipResults = RowsInPieces = _leaving = _inCopy = _copyRefused = false;
        Error = null;
        LaterErrors = null;
        FailedStatement = -1;
        Result = null;
        Sources = [];
        _writtenFrom = session.Output.Position;
        session.Statements.WriteCloses(session.Output);
        Begun = _begin = session.PendingBegin;
        if (_begin is not null)
            WriteBegin(_begin);
    }

    /// <summary>Adds a statement by its text. Without <paramref name="formats"/> it is asked for in binary, or as experience has taught.</summary>
    public void Add(string sql, ReadOnlySpan<uint> types, IParameterValues values, ReadOnlySpan<FormatCode> formats)
    {
        var output = session.Output;
        var remembered = formats.IsEmpty ? session.Context.Formats.Find(sql, types) : [];
        output.WriteParse("", sql, types);
        WriteBind(output, "", values, formats.IsEmpty ? remembered : formats);
        output.WriteDescribe(Messages.Target.Portal, "");
        output.WriteExecute();
        var run = Next();
        run.Reset(null, sql, types, remembered);
        run.FormatsAreChosen = !formats.IsEmpty;
    }

    /// <summary>Adds a statement by its name; Parse goes in front if the server does not know it, or may mean something else by it.</summary>
    public void Add(CachedStatement statement, IParameterValues values, ReadOnlySpan<FormatCode> formats)
    {
        var output = session.Output;
        var run = Next();
        if (IsCurrent(statement) && IsDescribed(statement) && formats.IsEmpty && session.KeepsDescriptions)
        {
            WriteBind(output, statement.Name, values, statement.Formats);
            output.WriteExecute();
            run.Reset(statement);
            return;
        }
        var remembered = formats.IsEmpty ? session.Context.Formats.Find(statement.Sql, statement.AskedTypes) : [];
        run.Reset(statement, statement.Sql, statement.AskedTypes, remembered);
        run.FormatsAreChosen = !formats.IsEmpty;
        run.DescribesStatement = formats.IsEmpty && session.KeepsDescriptions;
        WriteParse(statement, run);
        WriteBind(output, statement.Name, values, formats.IsEmpty ? remembered : formats);
        output.WriteDescribe(Messages.Target.Portal, "");
        output.WriteExecute();
    }

    /// <summary>Adds the preparation of a statement, without running it.</summary>
    public void AddPreparation(CachedStatement statement)
    {
        var run = Next();
        run.ResetDescription(statement);
        WriteParse(statement, run);
        session.Output.WriteDescribe(Messages.Target.Statement, statement.Name);
    }

    /// <summary>Adds a description of a statement's text, without running it.</summary>
    public void AddDescription(string sql, ReadOnlySpan<uint> types)
    {
        session.Output.WriteParse("", sql, types);
        session.Output.WriteDescribe(Messages.Target.Statement, "");
        Next().ResetDescription(null);
    }

    /// <summary>Whether the server knows the statement and means by it what it meant when it parsed it.</summary>
    public bool IsCurrent(CachedStatement statement) => statement.IsOnServer && statement.Epoch == session.Epoch;

    /// <summary>Whether it is known what the statement returns, types and all.</summary>
    public bool IsDescribed(CachedStatement statement) => statement.IsDescribed && ReferenceEquals(statement.DescribedBy, session.Types.Stamp);

    /// <summary>Ends a group: errors before this point do not touch what comes after.</summary>
    public void AddSync()
    {
        session.Output.WriteSync();
        if (_count > 0)
            _runs[_count - 1].EndsGroup = true;
        _syncsLeft++;
        _groups++;
        _group++;
    }

    /// <summary>The command is written whole: a pending BEGIN has been taken along.</summary>
    public void Written()
    {
        AddSync();
        Sources = session.Output.Sources;
        session.Statements.ClosesSent();
        if (_begin is not null)
            session.PendingBegin = null;
    }

    /// <summary>Writing failed (a value does not fit, say): nothing of it is sent.</summary>
    public void TakeBack() => session.Output.Rewind(_writtenFrom);

    /// <summary>How many ReadyForQuery are still to come.</summary>
    public int SyncsLeft => _syncsLeft;

    /// <summary>Something of ours that had to run before the results can be read was stopped: they are passed over, and this is the error.</summary>
    public void Interrupt(ServerErrorFields error)
    {
        Error ??= error;
        SkipResults = true;
    }

    /// <summary>The rest of the result that has begun is passed over, its end included.</summary>
    public void LeaveResult() => _leaving = true;

    /// <summary>Rows changed by all statements so far; -1 when none was of a kind that changes rows.</summary>
    public long RecordsAffected()
    {
        var counted = false;
        ulong rows = 0;
        foreach (var run in Runs)
        {
            counted |= run is { IsComplete: true, ChangesRows: true };
            rows += run is { IsComplete: true, ChangesRows: true } ? run.Rows : 0;
        }
        return counted ? (long)rows : -1;
    }

    public override Progress Advance(MessageReader messages)
    {
        while (true)
        {
            var progress = base.Advance(messages);
            if (progress != Progress.NeedMore || !messages.IsAtLongRow)
                return progress;
            if (!SkipResults && !_leaving)
                return RowsInPieces ? OnRow() : Progress.NeedMore;
            // Nobody wants it, so it is not collected either.
            messages.EnterRow();
        }
    }

    public override PgException? OnEndOfStream() => Error is null ? null : SessionErrors.FromServer(Error, session.Context.Settings);

    protected override Progress On(BackendMessage message)
    {
        switch (message.Type)
        {
            case BackendMessageType.DataRow:
                return OnRow();
            case BackendMessageType.BindComplete or BackendMessageType.ParameterDescription:
                return Progress.NeedMore;
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
                Current.Complete(new CommandComplete(message.Body));
                return OnComplete();
            case BackendMessageType.EmptyQueryResponse or BackendMessageType.PortalSuspended:
                Current.CompleteEmpty();
                return OnComplete();
            case BackendMessageType.ErrorResponse when _copyRefused:
                // The server's words for what we did to end the copy; ours say what the caller did.
                _copyRefused = false;
                return Progress.NeedMore;
            case BackendMessageType.ErrorResponse:
                OnError(new ErrorOrNotice(message.Body).ToFields());
                return Progress.NeedMore;
            case BackendMessageType.ReadyForQuery:
                return OnReady(new ReadyForQuery(message.Body));
            case BackendMessageType.CopyInResponse:
                RefuseCopyIn();
                return Progress.NeedMore;
            case BackendMessageType.CopyOutResponse:
                _inCopy = true;
                Fail(SessionErrors.CopyInCommand());
                return Progress.NeedMore;
            case BackendMessageType.CopyData or BackendMessageType.CopyDone when _inCopy:
                return Progress.NeedMore;
            default:
                throw ProtocolErrors.UnexpectedMessage("an answer to a query", message.Type);
        }
    }

    private StatementRun Current => _current < _count
        ? _runs[_current]
        : throw ProtocolErrors.UnexpectedMessage("ReadyForQuery", BackendMessageType.CommandComplete);

    private StatementRun Next()
    {
        if (_count == _runs.Length)
        {
            Array.Resize(ref _runs, _count * 2);
            for (var i = _count; i < _runs.Length; i++)
                _runs[i] = new StatementRun();
        }
        return _runs[_count++];
    }

    private void WriteBegin(string sql)
    {
        session.Output.WriteUnnamed(sql);
        Next().ResetOwn();
    }

    // Within a group a Parse that was written earlier will have been done; beyond it that is not sure, and Close makes the name free in either case.
    private void WriteParse(CachedStatement statement, StatementRun run)
    {
        var epoch = session.Epoch;
        var isWritten = statement.ParsedUnder == epoch && statement.ParsedInGroup == _group;
        if (IsCurrent(statement) || isWritten)
            return;
        var output = session.Output;
        run.Closes = statement.IsOnServer || statement.ParsedInGroup >= _group - _groups;
        if (run.Closes)
            output.WriteClose(Messages.Target.Statement, statement.Name);
        output.WriteParse(statement.Name, statement.Sql, statement.AskedTypes);
        run.Parses = true;
        run.Epoch = statement.ParsedUnder = epoch;
        statement.ParsedInGroup = _group;
    }

    private static void WriteBind(MessageWriter output, string statement, IParameterValues values, ReadOnlySpan<FormatCode> formats)
    {
        var count = values.Count;
        output.BeginBind(statement);
        WriteParameterFormats(output, values, count);
        output.WriteCount(count);
        for (var i = 0; i < count; i++)
            values.Write(i, output);
        output.EndBind(formats);
    }

    private static void WriteParameterFormats(MessageWriter output, IParameterValues values, int count)
    {
        var binary = true;
        for (var i = 0; i < count && binary; i++)
            binary = values.Format(i) == FormatCode.Binary;
        if (binary)
        {
            output.WriteFormat(FormatCode.Binary);
            return;
        }
        output.WriteCount(count);
        for (var i = 0; i < count; i++)
            output.WriteInt16((short)values.Format(i));
    }

    private Progress OnRow()
    {
        if (SkipResults || _leaving)
            return Progress.NeedMore;
        Result = Current;
        if (Result.Shape is null)
            throw ProtocolErrors.UnexpectedMessage("RowDescription", BackendMessageType.DataRow);
        return Progress.Row;
    }

    // Those of statements that made room come before any answer that matters here.
    private void OnClosed()
    {
        if (_current < _count && Current is { Closes: true, Statement: { } statement })
            statement.IsOnServer = false;
    }

    private void OnParsed(StatementRun run)
    {
        if (!run.Parses)
            return;
        run.Parses = false;
        run.Statement!.Parsed(run.Epoch);
        // It could not be parsed in an earlier group of this very flight, and was removed.
        if (_groups > 1)
            session.Statements.CloseIfRemoved(run.Statement);
    }

    private Progress OnRowDescription(StatementRun run, ReadOnlySpan<byte> body)
    {
        var types = session.Types.Known;
        var shape = ResultShape.Read(new RowDescription(body), types, run.IsDescription, run.FormatsAreChosen);
        run.Shape = shape;
        // What is kept is how it will be asked for from now on; this time it may have been asked for otherwise.
        if (run.DescribesStatement)
            run.Statement!.Describe(run.IsDescription || shape.IsAsWanted ? shape : ResultShape.Read(new RowDescription(body), types, ofStatement: true), types);
        if (run is { Sql: { } sql, FormatsAreChosen: false } && !run.Remembered.AsSpan().SequenceEqual(shape.Formats))
            session.Context.Formats.Keep(sql, run.Types, shape.Formats);
        return run.IsDescription ? OnDescribed(run) : Progress.NeedMore;
    }

    private Progress OnNoData(StatementRun run)
    {
        if (run.DescribesStatement)
            run.Statement!.Describe(null, session.Types.Stamp);
        return run.IsDescription ? OnDescribed(run) : Progress.NeedMore;
    }

    private Progress OnDescribed(StatementRun run)
    {
        run.CompleteEmpty();
        return OnComplete();
    }

    private Progress OnComplete()
    {
        _inCopy = false;
        var run = Current;
        _current++;
        var isLeft = _leaving;
        _leaving = false;
        if (run.IsOwn || run.Shape is null || SkipResults || isLeft)
            return Progress.NeedMore;
        Result = run;
        return Progress.ResultEnd;
    }

    private Progress OnReady(ReadyForQuery ready)
    {
        session.TransactionStatus = ready.Status;
        // A BEGIN that was skipped or refused is still due: without it the next command would run outside of any transaction.
        if (_begin is not null && !_runs[0].IsComplete)
            session.PendingBegin = _begin;
        _begin = null;
        _inCopy = _copyRefused = false;
        while (_groupStart < _count && !_runs[_groupStart++].EndsGroup)
        {
        }
        _current = _groupStart;
        if (--_syncsLeft > 0)
            return Progress.NeedMore;
        if (Error is null)
            Sources = [];
        return Progress.Done;
    }

    private void OnError(ServerErrorFields error)
    {
        if (_current < _count)
            Learn(Current, error);
        Fail(error);
    }

    private void Learn(StatementRun run, ServerErrorFields error)
    {
        switch (error.SqlState)
        {
            case SqlStates.InvalidSqlStatementName: // other statements may be gone with this one
                session.ForgetMeanings();
                break;
            case SqlStates.FeatureNotSupported when StatementErrors.IsOutdated(error):
                session.Context.ForgetMeanings();
                break;
            case SqlStates.InternalError or SqlStates.DatatypeMismatch when StatementErrors.IsTypeGone(error):
                session.Context.ForgetTypes();
                break;
            case SqlStates.DuplicatePreparedStatement when run.Statement is { } there:
                there.Parsed(session.Epoch);
                break;
            case SqlStates.ProtocolViolation when run is { Sql: { } sql, Remembered.Length: > 0 }:
                // The formats did not fit the columns, perhaps; without them the next run does.
                session.Context.Formats.Keep(sql, run.Types, []);
                break;
            default:
                // What cannot be parsed is not worth a place.
                if (run is { Parses: true, Statement: { IsExplicit: false } wrong } && error.SqlState is ['4', '2', ..])
                    session.Statements.Remove(wrong);
                break;
        }
    }

    private void Fail(ServerErrorFields error)
    {
        if (Error is null)
        {
            Error = error;
            FailedStatement = Math.Max(0, Math.Min(_current, _count - 1) - OwnRuns);
        }
        else
        {
            (LaterErrors ??= []).Add(error);
        }
    }

    // The Sync that was sent already is ignored while the server copies, so another is due; but when more statements follow before
    // that Sync, the server has lost its place in the stream and closes the connection by itself (manual, "COPY Operations").
    private void RefuseCopyIn()
    {
        Fail(SessionErrors.CopyInCommand());
        _copyRefused = true;
        if (!Current.EndsGroup)
            return;
        session.Output.WriteCopyFail("the client does not copy in an ordinary command");
        session.Output.WriteSync();
    }
}
