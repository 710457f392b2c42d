using Loxo.Protocol;
using Loxo.Protocol.Frontend;

namespace Loxo.Session;

/// <content>How the statements are written.</content>
internal sealed partial class QueryExchange
{
    /// <summary>The trace that the server is to learn of; null for none.</summary>
    public string? TraceContext { get; set; }

    private RequestWriter Requests => new(session.Output, Expected);

    /// <summary>Starts writing a command; a BEGIN that is pending goes in front.</summary>
    public void Start()
    {
        _count = _current = _groupStart = _syncsLeft = _groups = 0;
        _firstGroup = session.Groups.Current;
        _groupWasEmpty = session.Groups.IsEmpty;
        _endsGroup = OnlyReads = true;
        ChangesNothing = MayPlanAgain = IsSingle = FailedBeforeExecution = false;
        ColumnsToLookUp = null;
        Expected.Clear();
        _closes.Clear();
        Portal.Reset();
        SkipResults = RowsInPieces = _leaving = _copyIsRefused = false;
        (Error, LaterErrors, Result, SkippedAfter) = (null, null, null, null);
        Sources = [];
        AddCloses(goOn: false);
        Begun = _begin = session.PendingBegin;
        _pace.Start(hasBegin: _begin is not null);
        if (_begin is not null)
            WriteBegin(_begin);
    }

    /// <summary>Adds a statement by its text. No <paramref name="formats"/>: binary, or those that have fitted an earlier run.</summary>
    public void Add<T>(string sql, ReadOnlySpan<uint> types, T values, ReadOnlySpan<FormatCode> formats)
        where T : IParameterValues
    {
        var run = Add();
        var remembered = formats.IsEmpty ? session.Context.Database.Formats.Find(sql, types) : [];
        run.Reset(null, sql, types, remembered);
        run.FormatsAreChosen = !formats.IsEmpty;
        Requests.Parse("", sql, types);
        Requests.Bind("", values, formats.IsEmpty ? remembered : formats);
        Requests.DescribeAndExecute(sql, Portal.Rows);
    }

    /// <summary>Adds a statement by its name; with Parse if the server does not know it, or may mean something else by it.</summary>
    public void Add<T>(CachedStatement statement, T values, ReadOnlySpan<FormatCode> formats)
        where T : IParameterValues
    {
        var run = Add();
        var validity = session.Validity;
        if (validity.IsCurrent(statement) && validity.IsDescribed(statement) && formats.IsEmpty && session.KeepsDescriptions)
        {
            Requests.Bind(statement.Name, values, statement.Formats);
            Requests.Execute(statement.Sql, hasColumns: statement.Shape is not null, Portal.Rows);
            run.Reset(statement);
            return;
        }
        var remembered = !formats.IsEmpty ? []
            : statement.Formats.Length > 0 ? statement.Formats
            : session.Context.Database.Formats.Find(statement.Sql, statement.ParameterTypes);
        run.Reset(statement, statement.Sql, statement.ParameterTypes, remembered);
        run.FormatsAreChosen = !formats.IsEmpty;
        run.DescribesStatement = formats.IsEmpty && session.KeepsDescriptions;
        WriteParse(statement, run);
        Requests.Bind(statement.Name, values, formats.IsEmpty ? remembered : formats);
        Requests.DescribeAndExecute(statement.Sql, Portal.Rows);
    }

    /// <summary>Adds the preparation of a statement, without running it.</summary>
    public void AddPreparation(CachedStatement statement)
    {
        var run = Add();
        run.ResetDescription(statement);
        WriteParse(statement, run);
        Requests.DescribeStatement(statement.Name);
    }

    /// <summary>The statement that was added last is the driver's.</summary>
    public void MarkOwn() => _runs[_count - 1].IsOwn = true;

    /// <summary>The command is to be written again when the statement's columns are known.</summary>
    public void LookUpColumns(string sql, ReadOnlySpan<uint> types) => ColumnsToLookUp = (sql, types.ToArray());

    /// <summary>Adds a description of a statement's text, without running it.</summary>
    public void AddDescription(string sql, ReadOnlySpan<uint> types)
    {
        Requests.Parse("", sql, types);
        Requests.DescribeStatement("");
        Add().ResetDescription(null);
    }

    /// <summary>Tells the server to forget the statements that were removed.</summary>
    /// <param name="goOn">Whether this is not the first call for the command.</param>
    public void AddCloses(bool goOn) => _closes.Write(Requests, goOn);

    /// <summary>Ends a group: errors before this point do not touch what comes after.</summary>
    public void AddSync()
    {
        Portal.EndGroup(Requests);
        if (_count > 0)
            _runs[_count - 1].EndsGroup = true;
        _syncsLeft++;
        _groups++;
        session.Groups.End();
        _pace.Add();
    }

    /// <summary>The command is written whole: a pending BEGIN has been taken along.</summary>
    /// <param name="endsGroup">Whether a Sync is written behind it; otherwise a later exchange ends its group.</param>
    public void Written(bool endsGroup)
    {
        _endsGroup = endsGroup;
        if (endsGroup)
            AddSync();
        _pace.Next();
        Sources = session.Output.Sources;
        session.Statements.ClosesSent();
        if (_begin is not null)
            session.PendingBegin = null;
    }

    /// <summary>The BEGIN, if it was skipped or refused; null otherwise.</summary>
    public string? RefusedBegin => _begin is not null && !_runs[0].IsComplete ? _begin : null;

    /// <summary>What was written has been taken back.</summary>
    public void TakenBack()
    {
        session.Groups.IsEmpty = _groupWasEmpty;
        _pace.Stop();
        for (var i = _count - 1; i >= 0; i--)
            _runs[i].Parse?.TakeBack();
    }

    private StatementRun Add()
    {
        if (_count == _runs.Length)
        {
            Array.Resize(ref _runs, _count * 2);
            for (var i = _count; i < _runs.Length; i++)
                _runs[i] = new StatementRun();
        }
        _isFirstInGroup = session.Groups.IsEmpty;
        session.Groups.IsEmpty = false;
        return _runs[_count++];
    }

    // It skips nothing: the session breaks if BEGIN is refused while other exchanges are behind.
    private void WriteBegin(string sql)
    {
        Requests.Unnamed(sql);
        Add().ResetOwn();
        session.Groups.AddBegin();
        session.Groups.IsEmpty = _groupWasEmpty;
    }

    private void WriteParse(CachedStatement statement, StatementRun run) =>
        run.Parse = session.Validity.WriteParse(Requests, statement, _firstGroup, mayBeSkipped: !_isFirstInGroup);

    /// <summary>The first statement of the last command, for any thread; null for none.</summary>
    public string? LastText => StatementRun.FirstText(_runs);

    /// <summary>The statement that was refused, or the first; null for none.</summary>
    public string? FailedText => StatementRun.TextOf(Runs, FailedStatement);

    /// <summary>Rows returned by all queries so far; -1 when there was none.</summary>
    public long RowsReturned() => StatementRun.RowsReturned(Runs);
}
