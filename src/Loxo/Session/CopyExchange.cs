using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;
using Loxo.Types;

namespace Loxo.Session;

/// <summary>
/// A COPY through the client. It asks for the columns first, in the same flight where their types are known, so that values are encoded for
/// the types that the table has now. It stops when the server is ready to copy; from then on its caller writes CopyData and ends with
/// CopyDone or CopyFail, or takes the CopyData that arrive.
/// F: [Parse (Bind Execute | Describe) Sync], [a <see cref="TypeLookup"/>], Query, then CopyData* (CopyDone | CopyFail)
/// B: [1 (2 D* C | t T) Z], [C] (G | H d* c) C Z; after E nothing until Z
/// An import behind a pooler has a group instead of the Query: F: Parse Bind Execute Flush, CopyData* (CopyDone | CopyFail) Sync
/// </summary>
/// <remarks>
/// With a Query there is no Sync that the server might read in copy mode, where it is ignored: each Query is answered by one ReadyForQuery,
/// whenever an error comes. CopyData, CopyDone and CopyFail that arrive behind an error are ignored (manual, "COPY Operations").
/// Behind a pooler that ReadyForQuery would come too early: pgbouncer hands the server process on with it, and passes the CopyData that
/// are still on their way to another one. There the Sync that asks for it is the last message.
/// </remarks>
internal sealed class CopyExchange : MessageExchange, ISkippable
{
    private readonly ServerSession _session;
    private readonly CopyRequest _request;
    private readonly List<CopyColumn> _found = [];
    // As they were when the COPY was sent: another session may have all types looked up again at any time.
    private readonly Dictionary<uint, TypeEntry> _entries = [];
    private Step _step;
    private TypeLookup? _types;
    private ServerErrorFields? _lookupError;
    private bool _hasBegun;
    // The COPY was sent, and the Sync behind it was not.
    private bool _isGroupOpen;

    private CopyExchange(ServerSession session, CopyRequest request)
        : base(session.Owner, new ExpectedReplies()) => (_session, _request) = (session, request);

    private enum Step : byte
    {
        /// <summary>The columns, in a flight of their own.</summary>
        LookUpColumns,

        /// <summary>The types of the columns.</summary>
        LookUpTypes,

        /// <summary>The columns, in front of the COPY of the same flight.</summary>
        CheckColumns,

        /// <summary>COPY itself.</summary>
        Copy,

        /// <summary>ReadyForQuery has come, or COPY was not sent.</summary>
        Ended,
    }

    /// <summary>Where it runs.</summary>
    public ServerSession Session => _session;

    /// <summary>Whether the server waits for data of the client.</summary>
    public bool IsCopyingIn { get; private set; }

    /// <summary>Whether the server sends data.</summary>
    public bool IsCopyingOut { get; private set; }

    /// <summary>Whether the data is in binary format.</summary>
    public bool IsBinary { get; private set; }

    /// <summary>The number of columns that the server copies.</summary>
    public int ColumnCount { get; private set; }

    /// <summary>The columns that are copied, in order; empty if they are not known.</summary>
    public IReadOnlyList<CopyColumn> Columns { get; private set; } = [];

    /// <summary>All columns of the table, generated ones included; empty if they are not known.</summary>
    public IReadOnlyList<CopyColumn> TableColumns => _found;

    /// <summary>The server's error; null for none.</summary>
    public ServerErrorFields? Error { get; private set; }

    /// <summary>The rows copied, once the COPY has completed.</summary>
    public ulong Rows { get; private set; }

    /// <summary>The COPY was stopped before it was sent.</summary>
    public bool StoppedBeforeSent { get; private set; }

    /// <summary>CopyDone, CopyFail or the Sync behind an error has been written: what is left is the answer.</summary>
    public bool IsEnding { get; private set; }

    /// <summary>Compares the server's count of rows with those that were taken, unless some were skipped; null for nobody.</summary>
    public Action<ulong>? CheckRows { get; set; }

    /// <summary>Whether data that arrives is skipped.</summary>
    public bool Skips { get; set; }

    /// <inheritdoc/>
    public long BytesToSkip { get; set; } = long.MaxValue;

    /// <summary>The BEGIN that went in front; null for none.</summary>
    public string? Begun { get; private set; }

    /// <summary>The type of that OID; null if it is not known.</summary>
    public TypeEntry? Find(uint type) => _entries.GetValueOrDefault(type) ?? _session.Types.Known.Find(type);

    public override bool StopsWhenSent => IsCopyingIn && !IsEnding && Error is null;

    private RequestWriter Requests => new(_session.Output, Expected);

    // Otherwise it is a Query.
    private bool IsGroup => _request.Imports && _session.IsPooledElsewhere;

    private string? Target => _request.Table ?? _request.Query;

    /// <summary>Writes the first flight; the session has been claimed.</summary>
    public static CopyExchange Start(ServerSession session, CopyRequest request)
    {
        var exchange = new CopyExchange(session, request);
        var start = session.Output.Position;
        exchange.WriteFirst();
        session.Wire.Enqueue(exchange, start);
        return exchange;
    }

    /// <summary>Writes that the data is complete.</summary>
    public void WriteDone()
    {
        _session.Output.WriteCopyDone();
        WriteEnd();
    }

    /// <summary>Writes that the server shall undo what it has copied.</summary>
    public void WriteFail(string reason)
    {
        _session.Output.WriteCopyFail(reason);
        WriteEnd();
    }

    public override Progress Advance(MessageReader messages)
    {
        while (true)
        {
            if (_step == Step.Ended)
                return Progress.Done;
            if (_step == Step.LookUpTypes)
                return AdvanceTypes(messages);
            var inPieces = IsCopyingOut && (Skips || _request.InPieces);
            if (inPieces && !Skips && messages.RowLeft > 0)
                return messages.OfRow.IsEmpty ? Progress.NeedMore : Progress.Row;
            if (inPieces && messages.TryEnterCopyData())
            {
                Expected.AcceptCopyData();
                if (Skips && (BytesToSkip -= messages.RowLeft) < 0)
                    return Progress.Row;
                // Whatever has arrived of it is skipped below.
                if (!Skips)
                    continue;
            }
            var progress = base.Advance(messages);
            var isAtData = inPieces && (progress == Progress.Row ? !Skips : progress == Progress.NeedMore && IsAtCopyData(messages));
            if (!isAtData)
                return progress;
        }
    }

    public override PgException? OnEndOfStream() =>
        (Error ?? _lookupError ?? _types?.Error) is { } error ? SessionErrors.FromServer(error, _session.Context) : null;

    protected override Progress On(BackendMessage message)
    {
        switch (message.Type)
        {
            case BackendMessageType.DataRow:
                _found.Add(CopyColumnQuery.Read(new DataRow(message.Body)));
                break;
            case BackendMessageType.RowDescription when _step == Step.Copy:
                throw ProtocolErrors.UnexpectedMessage(nameof(BackendMessageType.CommandComplete), message.Type);
            case BackendMessageType.RowDescription:
                Describe(new RowDescription(message.Body));
                break;
            case BackendMessageType.CommandComplete when _step == Step.Copy:
                return OnComplete(new CommandComplete(message.Body));
            case BackendMessageType.CopyInResponse or BackendMessageType.CopyOutResponse:
                OnCopying(message);
                return Progress.ResultEnd;
            case BackendMessageType.CopyData:
                return !Skips || (BytesToSkip -= message.Body.Length) < 0 ? Progress.Row : Progress.NeedMore;
            case BackendMessageType.ErrorResponse when _step == Step.Copy:
                IsCopyingIn = IsCopyingOut = false;
                Error ??= Placed(new ErrorOrNotice(message.Body).ToFields());
                return EndGroup();
            case BackendMessageType.ErrorResponse:
                _lookupError ??= new ErrorOrNotice(message.Body).ToFields();
                break;
            case BackendMessageType.ReadyForQuery:
                return OnReady(new ReadyForQuery(message.Body));
        }
        return Progress.NeedMore;
    }

    private static bool IsAtCopyData(MessageReader messages) =>
        messages.RowLeft == 0 && messages.Unread is [(byte)BackendMessageType.CopyData, _, _, _, _, ..];

    private void WriteFirst()
    {
        var canLookUp = Target is not null && _session.Types.CanLookUp;
        if (!canLookUp)
        {
            WriteCopy();
            return;
        }
        WriteLookup();
        _step = Step.LookUpColumns;
        // A pooler may hand the server process on between the two groups, while the second is on its way.
        if (!_session.Effects.HasOtherNames && !_session.IsPooledElsewhere
            && _session.Context.Database.Copies.Find(Target!) is { } types && Array.TrueForAll(types, IsKnown))
        {
            WriteCopy();
            _step = Step.CheckColumns;
        }
    }

    private void WriteLookup()
    {
        if (_request.Table is { } table)
        {
            CopyColumnQuery.Write(_session, Requests, table);
        }
        else
        {
            Requests.Parse("", _request.Query!, []);
            Requests.DescribeStatement("");
        }
        Requests.Sync();
    }

    private void WriteCopy()
    {
        Begun = _session.PendingBegin;
        _isGroupOpen = IsGroup;
        Requests.Copy(_request.Sql, Begun, inGroup: IsGroup);
        _session.PendingBegin = null;
        _step = Step.Copy;
    }

    private void WriteEnd()
    {
        IsEnding = true;
        if (_isGroupOpen)
            _session.Output.WriteSync();
        _isGroupOpen = false;
    }

    // The copy has ended before its caller has ended it.
    private Progress EndGroup()
    {
        if (!_isGroupOpen)
            return Progress.NeedMore;
        WriteEnd();
        _session.Wire.Enqueue(this);
        return Progress.FlightEnd;
    }

    private bool IsKnown(uint type)
    {
        if (Find(type) is not { } entry)
            return false;
        _entries[type] = entry;
        return true;
    }

    private void Describe(RowDescription description)
    {
        while (description.TryReadNext(out var column))
            _found.Add(new CopyColumn(column.Name, column.TypeOid, column.TypeModifier));
    }

    private Progress OnReady(ReadyForQuery ready)
    {
        switch (_step)
        {
            case Step.CheckColumns:
                _session.Ready(ready.Status, isLast: false);
                Remember();
                _step = Step.Copy;
                return Progress.NeedMore;
            case Step.LookUpColumns:
                _session.Ready(ready.Status, isLast: true);
                Remember();
                return AfterLookup();
            default:
                _session.Ready(ready.Status, isLast: true);
                // A BEGIN that was refused is still due: without it the next command would run outside of any transaction.
                if (Begun is not null && !_hasBegun)
                    _session.PendingBegin = Begun;
                IsCopyingIn = IsCopyingOut = false;
                return End();
        }
    }

    private void Remember()
    {
        // A temporary table is nobody else's.
        if (_lookupError is null && _found.Count > 0 && !_session.Effects.HasOtherNames)
            _session.Context.Database.Copies.Keep(Target!, _found);
    }

    private Progress AfterLookup()
    {
        if (_session.StopReason != StopReason.None)
            return EndBeforeSent();
        uint[] unknown = [.. _found.Select(column => column.TypeOid).Where(type => !IsKnown(type)).Distinct()];
        if (unknown.Length == 0)
        {
            WriteCopy();
        }
        else
        {
            _types = new TypeLookup(_session, _session.TransactionStatus, unknown, []);
            _step = Step.LookUpTypes;
        }
        _session.Wire.Enqueue(this);
        return Progress.FlightEnd;
    }

    private Progress AdvanceTypes(MessageReader messages)
    {
        var progress = _types!.Advance(messages);
        if (progress == Progress.Done && _session.StopReason != StopReason.None)
            return EndBeforeSent();
        if (progress == Progress.Done)
        {
            _types = null;
            _found.ForEach(column => IsKnown(column.TypeOid));
            WriteCopy();
            progress = Progress.FlightEnd;
        }
        if (progress == Progress.FlightEnd)
            _session.Wire.Enqueue(this);
        return progress;
    }

    private Progress EndBeforeSent()
    {
        StoppedBeforeSent = true;
        return End();
    }

    private Progress End()
    {
        _step = Step.Ended;
        return Progress.Done;
    }

    private Progress OnComplete(CommandComplete complete)
    {
        if (Begun is not null && !_hasBegun)
        {
            _hasBegun = true;
            return Progress.NeedMore;
        }
        if (IsCopyingIn || IsCopyingOut)
            CheckTag(complete);
        Rows = complete.Rows;
        IsCopyingIn = IsCopyingOut = false;
        return EndGroup();
    }

    private void CheckTag(CommandComplete complete)
    {
        if (complete.Type != StatementType.Copy || !complete.TryGetRows(out var rows))
            throw ProtocolErrors.UnexpectedMessage("the tag of a COPY", BackendMessageType.CommandComplete);
        if (!Skips)
            CheckRows?.Invoke(rows);
    }

    private void OnCopying(BackendMessage message)
    {
        var response = new CopyResponse(message.Body);
        IsCopyingIn = message.Type == BackendMessageType.CopyInResponse;
        IsCopyingOut = !IsCopyingIn;
        IsBinary = response.IsBinary;
        ColumnCount = response.Columns;
        Columns = _request.ColumnNames.Count == 0
            ? [.. _found.Where(column => !column.IsGenerated)]
            : [.. _request.ColumnNames.Select(name => _found.Find(column => column.Name == name)).OfType<CopyColumn>()];
    }

    // In a transaction, an error of the lookup makes COPY fail with nothing but a word of the failed transaction.
    private ServerErrorFields Placed(ServerErrorFields error)
    {
        if (error.SqlState == SqlStates.InFailedSqlTransaction && _lookupError is not null)
            return _lookupError;
        if (error.Position > 0)
            error.Position += _request.Start - (Begun is null || IsGroup ? 0 : Begun.Length + "; ".Length);
        return error;
    }
}
