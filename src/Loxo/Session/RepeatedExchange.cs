using Loxo.Protocol;
using Loxo.Protocol.Backend;

namespace Loxo.Session;

/// <summary>
/// One statement for many rows of parameters, all in one group. Its caller writes rows and pumps whenever <see cref="MustSend"/>; earlier
/// rows are answered meanwhile. Neither rows nor replies are kept, so any number of rows takes the same memory.
/// F: [Close]* of statements that made room, [Parse Bind Execute] for a prepended BEGIN, then for each row: [[Close] Parse] Bind Execute;
/// [Parse of a text that fails], Sync
/// B: 3*, [1 2 C], for each row: [[3] 1] 2 D* (C | I), [E], Z; after E nothing until Z
/// In front of a row: [a <see cref="TypeLookup"/>]
/// </summary>
/// <remarks>
/// An error of the server ends the group at once: the exchange writes its Sync as soon as it has read the error. If the rows cannot be
/// completed for a reason of the client's, an <see cref="UndoingText"/> goes in front of the Sync.
/// </remarks>
internal sealed class RepeatedExchange : MessageExchange
{
    // Rows beyond this stay below 64 KiB, the size up to which the output buffer is kept between commands.
    private const int WorthSending = 48 * 1024;

    // Bounds the memory for the replies that are due. Their messages fill the server's buffer of 8 KiB many times, so they arrive unasked.
    private const long MostUnanswered = 8 * 1024;

    private readonly ServerSession _session;
    private readonly Queue<Parsing> _parsing = new();
    private readonly string? _begin;
    private readonly long _group;
    private readonly bool _groupWasEmpty;
    private long _start = -1;
    private readonly DueCloses _closes;
    private TypeLookup? _lookup;
    private CachedStatement? _named;
    private uint[]? _unnamedTypes;
    private bool _hasBegun;
    private bool _isSent;
    private bool _hasEnded;
    private bool _isReady;
    private bool _hasFailed;
    private bool _changesRows;
    private ulong _changed;
    private long _written;
    private long _completed;
    private bool _mayBeEmpty;

    /// <summary>Writes nothing yet; the session has been claimed.</summary>
    public RepeatedExchange(ServerSession session)
        : base(session.Owner, new ExpectedReplies())
    {
        _session = session;
        _closes = new DueCloses(session);
        _group = session.Groups.Current;
        _groupWasEmpty = session.Groups.IsEmpty;
        _begin = session.PendingBegin;
    }

    /// <summary>Where it runs.</summary>
    public ServerSession Session => _session;

    /// <summary>Tells this command from others of the session.</summary>
    public long Number => _group;

    /// <summary>Whether no row has been written.</summary>
    public bool IsEmpty => _written == 0;

    /// <summary>Whether any of it may have reached the server.</summary>
    public bool IsSent => _isSent;

    /// <summary>Whether the end of the group has been written, or everything has been taken back.</summary>
    public bool HasEnded => _hasEnded;

    /// <summary>Whether replies are due.</summary>
    public bool IsDue => _isSent && !_isReady;

    /// <summary>Whether enough is written to be sent before the next row.</summary>
    public bool MustSend => _session.Output.Position - _session.Output.SentPosition > WorthSending;

    /// <summary>The first error of the server; null for none.</summary>
    public ServerErrorFields? Error { get; private set; }

    /// <summary>The zero-based row that the server was at when it failed; null if it was at BEGIN or at the commit.</summary>
    public long? FailedRow { get; private set; }

    /// <summary>Whether the statement was refused when it was parsed or its parameters were bound.</summary>
    public bool FailedBeforeExecution { get; private set; }

    /// <summary>Rows changed so far; -1 when no statement was of a kind that changes rows.</summary>
    public long RecordsAffected => _changesRows ? (long)_changed : -1;

    // Once the group has been ended nothing is left to write. Before that, replies are awaited only if many are due.
    public override bool StopsWhenSent => !_hasEnded && _lookup is null && _written - _completed <= MostUnanswered;

    private RequestWriter Requests => new(_session.Output, Expected);

    /// <summary>
    /// Writes a lookup of types. In front of the first row it is a flight of its own, which ends with <see cref="Progress.Done"/> and costs
    /// nothing if it fails. Behind that it belongs to the group and ends with <see cref="Progress.ResultEnd"/>.
    /// </summary>
    public void LookUpTypes()
    {
        var types = _session.Types;
        if (IsEmpty)
        {
            _lookup = new TypeLookup(_session, _session.TransactionStatus, [], types.NamesToLookUp);
            _session.Wire.Enqueue(this);
        }
        else
        {
            Sending();
            _lookup = new TypeLookup(_session, types.NamesToLookUp);
            _unnamedTypes = null; // it has taken the unnamed statement
        }
        types.LookUpStarted();
    }

    /// <summary>Whether the statement of the row before fits these types too.</summary>
    /// <param name="types">Types of the parameters.</param>
    /// <param name="nullsMatch">Every 0 among the types stands for a NULL.</param>
    public bool Fits(ReadOnlySpan<uint> types, bool nullsMatch) => _named is { } named
        ? _session.Validity.IsOfThisEpoch(named) && CachedStatement.Fits(named.ParameterTypes, types, nullsMatch)
        : _unnamedTypes is not null && CachedStatement.Fits(_unnamedTypes, types, nullsMatch);

    /// <summary>The next row is of another statement.</summary>
    public void Forget()
    {
        _named = null;
        _unnamedTypes = null;
    }

    /// <summary>The rows from here on use a prepared statement.</summary>
    public void Use(CachedStatement statement)
    {
        Begin();
        _named = statement;
        _unnamedTypes = null;
        _mayBeEmpty = RequestWriter.MayBeEmpty(statement.Sql);
        if (_session.Validity.WriteParse(Requests, statement, _group, mayBeSkipped: true) is { } parse)
            _parsing.Enqueue(new(parse));
    }

    /// <summary>The rows from here on use the unnamed statement, which nothing else in the group replaces.</summary>
    public void Use(string sql, ReadOnlySpan<uint> types)
    {
        Begin();
        _named = null;
        _unnamedTypes = types.ToArray();
        _mayBeEmpty = RequestWriter.MayBeEmpty(sql);
        Requests.Parse("", sql, types);
        _parsing.Enqueue(default);
    }

    /// <summary>Writes a row for the statement that was chosen last. If a value cannot be written, nothing of the row is left.</summary>
    public void Add<T>(T values)
        where T : IParameterValues
    {
        Requests.BindAndExecute(_named?.Name ?? "", values);
        _written++;
    }

    /// <summary>The rows written so far are about to be sent: from here on they cannot be taken back.</summary>
    public void Sending()
    {
        if (_isSent)
            return;
        _isSent = true;
        _session.Statements.ClosesSent();
        _session.PendingBegin = null;
        _session.Wire.Enqueue(this, _start);
    }

    /// <summary>All rows are written: ends the group.</summary>
    public void End()
    {
        if (_hasEnded)
            return;
        _hasEnded = true;
        Requests.Sync();
        _session.Groups.End();
        Sending();
    }

    /// <summary>
    /// The rows cannot be completed: the server undoes those that were sent. If none was, everything is taken back and nothing is due.
    /// </summary>
    public void Undo()
    {
        if (_hasEnded)
            return;
        if (!_isSent)
        {
            TakeBack();
            return;
        }
        Requests.Parse("", UndoingText.Sql, []);
        _parsing.Enqueue(new(null, Undoes: true));
        End();
    }

    public override Progress Advance(MessageReader messages)
    {
        while (true)
        {
            if (_lookup is not null && Expected.IsEmpty)
                return AdvanceLookup(messages);
            var progress = base.Advance(messages);
            if (progress == Progress.ResultEnd)
                continue;
            if (progress != Progress.NeedMore || !messages.IsAtLongRow)
                return progress;
            Expected.AcceptRow();
            messages.EnterRow();
        }
    }

    public override PgException? OnEndOfStream() => (Error ?? _lookup?.Error) is { } error
        ? SessionErrors.FromServer(error, _session.Context)
        : null;

    protected override Progress On(BackendMessage message)
    {
        switch (message.Type)
        {
            case BackendMessageType.CloseComplete:
                OnClosed();
                break;
            case BackendMessageType.ParseComplete:
                OnParsed(_parsing.Dequeue());
                break;
            case BackendMessageType.CommandComplete:
                OnComplete(new CommandComplete(message.Body));
                break;
            case BackendMessageType.EmptyQueryResponse when _mayBeEmpty:
                _completed++;
                break;
            case BackendMessageType.EmptyQueryResponse:
                throw ProtocolErrors.UnexpectedMessage(nameof(BackendMessageType.CommandComplete), message.Type);
            case BackendMessageType.ErrorResponse:
                OnError(new ErrorOrNotice(message.Body).ToFields());
                break;
            case BackendMessageType.ReadyForQuery:
                return OnReady(new ReadyForQuery(message.Body));
            case BackendMessageType.CopyInResponse or BackendMessageType.CopyOutResponse:
                throw SessionErrors.CopyInBatch();
        }
        // The messages behind these are those of the lookup.
        return _lookup is not null && Expected.IsEmpty ? Progress.ResultEnd : Progress.NeedMore;
    }

    // In front of the first row.
    private void Begin()
    {
        if (_start >= 0)
            return;
        _start = _session.Output.Position;
        _closes.Write(Requests, goOn: false);
        if (_begin is not null)
        {
            Requests.Unnamed(_begin);
            _parsing.Enqueue(default);
        }
        _session.Groups.IsEmpty = false;
    }

    private void TakeBack()
    {
        _hasEnded = true;
        if (_start < 0)
            return;
        _session.Output.TakeBack(_start);
        _session.Groups.IsEmpty = _groupWasEmpty;
        foreach (var parsing in _parsing.Reverse())
            parsing.Parse?.TakeBack();
    }

    private Progress AdvanceLookup(MessageReader messages)
    {
        var progress = _lookup!.Advance(messages);
        if (progress == Progress.FlightEnd)
            _session.Wire.Enqueue(this);
        if (progress != Progress.Done)
            return progress;
        var error = _lookup.Error;
        _lookup = null;
        if (!_isSent)
            return progress;
        if (error is null)
            return Progress.ResultEnd;
        Error = error;
        End();
        return Progress.NeedMore;
    }

    // CloseComplete for evicted statements comes first.
    private void OnClosed()
    {
        if (!_closes.TryTake() && _parsing.TryPeek(out var parsing))
            parsing.Parse?.Closed();
    }

    private void OnParsed(Parsing parsing)
    {
        if (parsing.Undoes)
            throw ProtocolErrors.UnexpectedMessage(nameof(BackendMessageType.ErrorResponse), BackendMessageType.ParseComplete);
        if (parsing.Parse is not { } parse)
            return;
        _session.Counters.CountParse(parse);
        parse.Answered();
        _session.Statements.CloseIfRemoved(parse.Statement);
    }

    private void OnComplete(CommandComplete complete)
    {
        if (_begin is not null && !_hasBegun)
        {
            _hasBegun = true;
            return;
        }
        _completed++;
        if (!StatementRun.IsChange(complete.Type))
        {
            _session.Completed(complete.Tag);
            return;
        }
        _changesRows = true;
        _changed += complete.Rows;
    }

    private void OnError(ServerErrorFields error)
    {
        // A second error can only be the end of the connection.
        var parsing = !_hasFailed && Expected.FailedAt == Reply.ParseComplete ? _parsing.Dequeue() : default;
        _hasFailed = true;
        _closes.Skipped();
        _lookup = null;
        if (!parsing.Undoes)
            Note(error, Expected.FailedAt, parsing);
        // The server skips everything up to the Sync, so no more is written. If the rows have been written, the Sync stands behind them.
        End();
    }

    private void Note(ServerErrorFields error, Reply failedAt, Parsing parsing)
    {
        FailedBeforeExecution = StatementErrors.ComesBeforeFunctions(error, failedAt);
        if (FailedBeforeExecution)
        {
            var run = new StatementRun();
            run.Reset(parsing.Parse?.Statement);
            run.Parse = parsing.Parse;
            error = StatementErrors.CorrectCaches(_session, run, error);
        }
        Error ??= error;
        var isOfRow = failedAt != Reply.Ready && (_begin is null || _hasBegun) && error is not { InvariantSeverity: "FATAL" or "PANIC" };
        FailedRow ??= isOfRow ? _completed : null;
    }

    private Progress OnReady(ReadyForQuery ready)
    {
        _isReady = true;
        _session.Ready(ready.Status, isLast: _session.Wire.Flights.Count <= 1);
        _session.Groups.Answered(_group);
        // A BEGIN that was refused is still due: without it the next command would run outside of any transaction.
        if (_begin is not null && !_hasBegun)
            _session.PendingBegin = _begin;
        return Progress.Done;
    }

    /// <summary>A Parse whose reply is due.</summary>
    /// <param name="Parse">Of a prepared statement; null for the unnamed one.</param>
    /// <param name="Undoes">It has to fail.</param>
    private readonly record struct Parsing(DueParse? Parse, bool Undoes = false);
}
