using System.Buffers.Binary;
using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;

namespace Loxo.Session;

/// <summary>
/// Makes a result readable that came with unknown types: waits for the rest of its flight, keeps it, and looks the types up. Values of
/// types that have no binary codec even then (as on the first run of a text whose result has such columns) become text: the server reads
/// each distinct value and writes it as text.
/// F: nothing, until the flight's last Z; then a <see cref="TypeLookup"/>; then [SAVEPOINT] Parse("SELECT $1") and Bind Execute for each
/// value, by type, [RELEASE] Sync
/// B: 1 (2 D C)* Z; after E, in a transaction, F: Query(ROLLBACK TO) / B: C C Z
/// </summary>
/// <param name="query">The flight.</param>
/// <param name="stoppedAt">Where the flight stopped at the result: at its first row or at its end.</param>
/// <param name="mayLookUp">Whether a flight may follow those that are queued when this one has arrived.</param>
internal sealed class ResultConversion(QueryExchange query, Progress stoppedAt, Func<bool> mayLookUp)
    : MessageExchange(query.Session.Owner, new ExpectedReplies())
{
    /// <summary>
    /// The largest flight that is kept, in bytes. Values in a larger one stay unreadable; the exception they throw names the remedies.
    /// </summary>
    public const int MostKept = 32 * 1024 * 1024;

    private readonly List<byte[]> _texts = [];
    private readonly ServerSession _session = query.Session;
    private readonly StatementRun _run = query.Result!;
    private ResultRewriter? _rewriter;
    private TypeLookup? _lookup;
    private TransactionGuard? _guard;
    private ResultShape _shape = query.Result!.Shape!;
    private int[] _order = [];
    private TransactionStatus _transaction;
    private int _syncsLeft = query.SyncsLeft;
    private int _seen;

    /// <summary>Where the flight stopped before.</summary>
    public Progress StoppedAt => stoppedAt;

    /// <summary>The server's error in the lookup or the conversion; the values stay unreadable.</summary>
    public ServerErrorFields? Error { get; private set; }

    /// <summary>The error that ends the flight itself, ahead of the reader.</summary>
    public ServerErrorFields? FlightError { get; private set; }

    /// <summary>
    /// Types are still unknown because the flight is too large to be kept, or its transaction has failed; another session can look them up.
    /// </summary>
    public bool MustLookUpElsewhere => _rewriter is null && !MustRunAgain
        && _session.StopReason == StopReason.None && _session.Types.HasCatalogue && _shape.HasUnknownTypes;

    /// <summary>The flight has failed at a column that has no binary output.</summary>
    public bool MustRunAgain => FlightError is not null && RetryPolicy.IsNoBinaryOutput(FlightError);

    private RequestWriter Requests => new(_session.Output, Expected);

    public override Progress Advance(MessageReader messages)
    {
        if (_rewriter is null)
        {
            if (!TryLookAhead(messages.Unread, out var canConvert))
                return Progress.NeedMore;
            if (!canConvert)
                return Progress.Done;
            Begin(messages.TakeUnread(_seen));
            if (_lookup is not null || _order.Length > 0)
                return Progress.FlightEnd;
        }
        else if (_lookup is not null)
        {
            if (_lookup.Advance(messages) is not Progress.Done and var progress)
                return progress;
            OnLookedUp();
            if (_order.Length > 0)
                return Progress.FlightEnd;
        }
        else if (base.Advance(messages) is not Progress.Done and var progress)
        {
            return progress;
        }
        End(messages);
        return Progress.Done;
    }

    public override PgException? OnEndOfStream() =>
        (Error ?? FlightError) is { } error ? SessionErrors.FromServer(error, _session.Context) : null;

    protected override Progress On(BackendMessage message)
    {
        switch (message.Type)
        {
            case BackendMessageType.DataRow:
                _texts.Add(message.Body[(sizeof(short) + sizeof(int))..].ToArray());
                return Progress.NeedMore;
            case BackendMessageType.ErrorResponse:
                Error ??= new ErrorOrNotice(message.Body).ToFields();
                return Progress.NeedMore;
            case BackendMessageType.ParseComplete or BackendMessageType.BindComplete or BackendMessageType.CommandComplete:
                return Progress.NeedMore;
            case BackendMessageType.ReadyForQuery:
                // A type that cannot be converted must not cost the user the transaction.
                return Error is not null && _guard!.TryRestore() ? Progress.FlightEnd : Progress.Done;
            default:
                throw ProtocolErrors.UnexpectedMessage("the text of a value", message.Type);
        }
    }

    // True at the end of the flight, or where waiting for it makes no sense.
    private bool TryLookAhead(ReadOnlySpan<byte> unread, out bool canConvert)
    {
        canConvert = false;
        if (_syncsLeft == 0 || query.Portal.OwesSync || query.IsHeldBack)
            return true; // another exchange ends the group, or the flight goes on when these rows have been read
        while (unread.Length - _seen >= BackendMessage.HeaderSize)
        {
            var length = BinaryPrimitives.ReadInt32BigEndian(unread[(_seen + 1)..]);
            if (length < sizeof(int))
                return true; // the exchange that reads it will say what is wrong
            if (unread.Length - _seen <= length)
                break;
            var body = unread.Slice(_seen + BackendMessage.HeaderSize, length - sizeof(int));
            switch ((BackendMessageType)unread[_seen])
            {
                case BackendMessageType.CopyInResponse:
                    return true; // has to be answered first
                case BackendMessageType.ErrorResponse:
                    FlightError ??= new ErrorOrNotice(body).ToFields();
                    break;
                case BackendMessageType.ReadyForQuery:
                    _transaction = new ReadyForQuery(body).Status;
                    _syncsLeft--;
                    break;
            }
            _seen += length + 1;
            if (_syncsLeft == 0)
            {
                canConvert = _transaction != TransactionStatus.Failed && _session.StopReason == StopReason.None
                    && unread.Length <= MostKept && mayLookUp();
                return true;
            }
        }
        return unread.Length > MostKept;
    }

    private void Begin(byte[] messages)
    {
        _rewriter = new ResultRewriter(messages, _session.Types);
        if (_session.Types.HasCatalogue && _rewriter.UnknownTypes(_shape) is { Count: > 0 } unknown)
            _lookup = new TypeLookup(_session, _transaction, unknown, []);
        else
            Convert();
    }

    private void OnLookedUp()
    {
        var lookup = _lookup!;
        _lookup = null;
        _shape = _shape.With(_session.Types.Known);
        // Without a catalogue, too, the server can write as text what it has sent.
        if (lookup.Error is null || (lookup.LeavesTransactionUsable && StatementErrors.IsNotUnderstood(lookup.Error)))
            Convert();
        else
            Error = lookup.Error;
    }

    private void Convert()
    {
        if (!_shape.NeedsConversion)
            return;
        var values = _rewriter!.Collect(_shape).ToArray();
        if (values.Length == 0)
            return;
        // By type, so that each type is parsed once.
        _order = [.. Enumerable.Range(0, values.Length).OrderBy(i => values[i].TypeOid)];
        var isGuarded = _session.Context.Settings.Compatibility != ServerCompatibilityMode.Redshift;
        _guard = new TransactionGuard(Requests, isGuarded ? _transaction : TransactionStatus.Idle, "loxo_text");
        _guard.Write();
        var type = 0u;
        foreach (var i in _order)
        {
            if (values[i].TypeOid != type)
                Requests.Parse("", "SELECT $1", [type = values[i].TypeOid]);
            WriteValue(values[i].Bytes.Span);
        }
        _guard.Release();
        Requests.Sync();
    }

    private void WriteValue(ReadOnlySpan<byte> value)
    {
        var output = _session.Output;
        Requests.BeginBind("");
        output.WriteFormat(FormatCode.Binary);
        output.WriteCount(1);
        var start = output.BeginValue();
        output.WriteBytes(value);
        output.EndValue(start);
        output.EndBind([FormatCode.Text]);
        Requests.Execute("SELECT $1", hasColumns: true);
    }

    private void End(MessageReader messages)
    {
        _run.UpdateCaches(_shape, _session.Context.Database.Formats, _session.Types.Stamp);
        if (Error is not null || _order.Length == 0 || _texts.Count != _order.Length)
        {
            messages.PutBack(_rewriter!.Original);
            return;
        }
        var texts = new byte[_order.Length][];
        for (var i = 0; i < texts.Length; i++)
            texts[_order[i]] = _texts[i];
        messages.PutBack(_rewriter!.Rewrite(_shape, texts).Span);
        _run.Shape = _shape.Converted();
    }
}
