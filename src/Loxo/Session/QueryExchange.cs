using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;

namespace Loxo.Session;

/// <summary>
/// A command: one statement or several, in one flight.
/// F: [Parse Bind Execute] for a prepended BEGIN, then for each statement: [Parse] Bind [Describe] Execute, and a Sync where a group ends
/// B: for each statement: [1] 2 [T | n] D* (C | I | s), Z for each Sync; after E nothing until the next Z
/// </summary>
internal sealed class QueryExchange(ServerSession session) : Exchange(session)
{
    private StatementRun[] _runs = [new()];
    private int _count;
    private int _current;
    private int _groupStart;
    private int _syncsLeft;
    private long _writtenFrom;
    private string? _begin;
    private bool _inCopy;
    private bool _copyRefused;
    private bool _leaving;

    /// <summary>Rows and ends of results are passed over: nobody reads them.</summary>
    public bool SkipResults { get; set; }

    /// <summary>The first error of the server, or null.</summary>
    public ServerErrorFields? Error { get; private set; }

    /// <summary>The statement that failed, counted as the caller does; -1 when none did.</summary>
    public int FailedStatement { get; private set; }

    /// <summary>Errors of later groups, which run although an earlier one failed; null when there is none.</summary>
    public List<ServerErrorFields>? LaterErrors { get; private set; }

    /// <summary>The statement whose row or end the exchange stopped at.</summary>
    public StatementRun? Result { get; private set; }

    /// <summary>What was sent, without statements of ours.</summary>
    public ReadOnlySpan<StatementRun> Runs => _runs.AsSpan(OwnRuns, _count - OwnRuns);

    private int OwnRuns => _count > 0 && _runs[0].IsOwn ? 1 : 0;

    /// <summary>Starts writing a command; a BEGIN that is pending goes in front.</summary>
    public void Start()
    {
        _count = _current = _groupStart = _syncsLeft = 0;
        SkipResults = _leaving = _inCopy = _copyRefused = false;
        Error = null;
        LaterErrors = null;
        FailedStatement = -1;
        Result = null;
        _writtenFrom = session.Output.Position;
        _begin = session.PendingBegin;
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
        run.Reset(sql, types, remembered);
        run.FormatsAreChosen = !formats.IsEmpty;
    }

    /// <summary>Adds a statement that is prepared.</summary>
    public void Add(PreparedStatement statement, IParameterValues values, ReadOnlySpan<FormatCode> formats)
    {
        var output = session.Output;
        WriteBind(output, statement.Name, values, formats.IsEmpty ? statement.Formats : formats);
        // The description that is kept says what its own formats are; others must be described anew.
        if (!formats.IsEmpty)
            output.WriteDescribe(Messages.Target.Portal, "");
        output.WriteExecute();
        var run = Next();
        run.Reset(statement);
        run.FormatsAreChosen = !formats.IsEmpty;
    }

    /// <summary>Adds the preparation of a statement, without running it.</summary>
    public void AddPreparation(PreparedStatement statement)
    {
        session.Output.WriteParse(statement.Name, statement.Sql, statement.ParameterTypes);
        AddDescription(statement);
    }

    /// <summary>Adds a description of a statement's text, without running it.</summary>
    public void AddDescription(string sql, ReadOnlySpan<uint> types)
    {
        session.Output.WriteParse("", sql, types);
        AddDescription(new PreparedStatement("", sql, types.ToArray()));
    }

    /// <summary>Tells the server to forget a statement.</summary>
    public void AddClose(PreparedStatement statement) => session.Output.WriteClose(Messages.Target.Statement, statement.Name);

    /// <summary>Ends a group: errors before this point do not touch what comes after.</summary>
    public void AddSync()
    {
        session.Output.WriteSync();
        if (_count > 0)
            _runs[_count - 1].EndsGroup = true;
        _syncsLeft++;
    }

    /// <summary>The command is written whole: a pending BEGIN has been taken along.</summary>
    public void Written()
    {
        AddSync();
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

    public override PgException? OnEndOfStream() => Error is null ? null : SessionErrors.FromServer(Error, session.Context.Settings);

    protected override Progress On(BackendMessage message)
    {
        switch (message.Type)
        {
            case BackendMessageType.DataRow:
                return OnRow();
            case BackendMessageType.BindComplete or BackendMessageType.CloseComplete or BackendMessageType.ParseComplete:
                return Progress.NeedMore;
            case BackendMessageType.ParameterDescription:
                OnParameterDescription(message.Body);
                return Progress.NeedMore;
            case BackendMessageType.RowDescription:
                return OnRowDescription(new RowDescription(message.Body));
            case BackendMessageType.NoData:
                return Current.IsDescription ? OnDescribed(null) : Progress.NeedMore;
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
        var output = session.Output;
        output.WriteParse("", sql, []);
        output.BeginBind("");
        output.WriteFormat(FormatCode.Binary);
        output.WriteCount(0);
        output.EndBind([]);
        output.WriteExecute();
        Next().Reset(null, isOwn: true);
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

    private void AddDescription(PreparedStatement statement)
    {
        session.Output.WriteDescribe(Messages.Target.Statement, statement.Name);
        Next().Reset(statement, isDescription: true);
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

    private void OnParameterDescription(ReadOnlySpan<byte> body)
    {
        var reader = new ValueReader(body);
        var types = new uint[reader.ReadCount()];
        for (var i = 0; i < types.Length; i++)
            types[i] = reader.ReadUInt32();
        if (Current.Statement is { } statement)
            statement.ParameterTypes = types;
    }

    private Progress OnRowDescription(RowDescription description)
    {
        var run = Current;
        var shape = ResultShape.Read(description, session.Context.Types, run.IsDescription, run.FormatsAreChosen);
        if (run.IsDescription)
            return OnDescribed(shape);
        run.Shape = shape;
        if (run is { Sql: { } sql, FormatsAreChosen: false } && !run.Remembered.AsSpan().SequenceEqual(shape.Formats))
            session.Context.Formats.Keep(sql, run.Types, shape.Formats);
        return Progress.NeedMore;
    }

    private Progress OnDescribed(ResultShape? shape)
    {
        Current.Statement!.Shape = shape;
        Current.Shape = shape;
        Current.CompleteEmpty();
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
        return --_syncsLeft == 0 ? Progress.Done : Progress.NeedMore;
    }

    private void OnError(ServerErrorFields error)
    {
        if (error.SqlState == SqlStates.InvalidSqlStatementName && _current < _count && Current.Statement is { } forgotten)
            session.Statements.Remove(forgotten);
        // The formats did not fit the columns, perhaps; without them the next run does.
        if (error.SqlState == SqlStates.ProtocolViolation && _current < _count && Current is { Sql: { } sql, Remembered.Length: > 0 } run)
            session.Context.Formats.Keep(sql, run.Types, []);
        Fail(error);
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
