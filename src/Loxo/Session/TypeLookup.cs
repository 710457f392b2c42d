using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;
using Loxo.Types;

namespace Loxo.Session;

/// <summary>
/// Asks the catalogue about types, by OID and by name, with all that they are made of.
/// F: [SAVEPOINT] Parse Bind Execute [RELEASE] Sync
/// B: 1 2 D* C Z; after E, in a transaction, F: Query(ROLLBACK TO) / B: C C Z
/// Within a group of another exchange: F: Parse Bind Execute Flush / B: 1 2 D* C; after E the group has failed
/// </summary>
internal sealed class TypeLookup : MessageExchange
{
    private readonly ServerSession _session;
    private readonly TransactionGuard _guard;
    private readonly TypeName[] _names;
    private readonly bool _isInGroup;
    private readonly List<TypeDescription> _found = [];

    /// <summary>Writes the query; the session must have been claimed.</summary>
    /// <param name="session">Where to ask: it sees what its own transaction has made.</param>
    /// <param name="status">Whether a transaction will be open when it runs.</param>
    /// <param name="oids">Types that values have come of.</param>
    /// <param name="names">Types that parameters are of.</param>
    public TypeLookup(ServerSession session, TransactionStatus status, IReadOnlyCollection<uint> oids, IReadOnlyCollection<TypeName> names)
        : base(session.Owner, new ExpectedReplies())
    {
        _session = session;
        _names = [.. names];
        _guard = new TransactionGuard(Requests, status, "loxo_types");
        _guard.Write();
        Write(oids, names);
        _guard.Release();
        Requests.Sync();
    }

    /// <summary>Writes the query into a group that goes on behind it. An error is one of the group.</summary>
    /// <param name="session">Where to ask.</param>
    /// <param name="names">Types that parameters are of.</param>
    public TypeLookup(ServerSession session, IReadOnlyCollection<TypeName> names)
        : base(session.Owner, new ExpectedReplies())
    {
        _session = session;
        _names = [.. names];
        _isInGroup = true;
        _guard = new TransactionGuard(Requests, TransactionStatus.Idle, "");
        Write([], names);
        session.Output.WriteFlush();
    }

    /// <summary>What went wrong on the server; the types stay unknown.</summary>
    public ServerErrorFields? Error { get; private set; }

    /// <summary>Whether the caller's transaction can go on: not if the server has refused the savepoint that was to protect it.</summary>
    public bool LeavesTransactionUsable { get; private set; } = true;

    private RequestWriter Requests => new(_session.Output, Expected);

    public override PgException? OnEndOfStream() => Error is { } error ? SessionErrors.FromServer(error, _session.Context) : null;

    protected override Progress On(BackendMessage message)
    {
        switch (message.Type)
        {
            case BackendMessageType.DataRow:
                _found.Add(TypeQuery.Read(new DataRow(message.Body), _session.Effects.HasOtherNamesInTransaction));
                return Progress.NeedMore;
            case BackendMessageType.ErrorResponse:
                Error ??= new ErrorOrNotice(message.Body).ToFields();
                return EndOfGroup;
            case BackendMessageType.CommandComplete when _isInGroup:
                return EndOfGroup;
            case BackendMessageType.ParseComplete or BackendMessageType.BindComplete or BackendMessageType.CommandComplete:
                return Progress.NeedMore;
            case BackendMessageType.ReadyForQuery:
                if (Error is not null && _guard.TryRestore())
                    return Progress.FlightEnd;
                LeavesTransactionUsable = !_guard.IsNeeded || new ReadyForQuery(message.Body).Status != TransactionStatus.Failed;
                End();
                return Progress.Done;
            default:
                throw ProtocolErrors.UnexpectedMessage("a description of a type", message.Type);
        }
    }

    private void Write(IReadOnlyCollection<uint> oids, IReadOnlyCollection<TypeName> names)
    {
        var output = _session.Output;
        var sql = TypeQuery.Sql(_session.Parameters.Values.GetValueOrDefault("server_version"));
        Requests.Parse("", sql, TypeQuery.ParameterTypes);
        Requests.BeginBind("");
        output.WriteFormat(FormatCode.Binary);
        TypeQuery.WriteParameters(output, oids, names);
        output.EndBind([FormatCode.Binary]);
        Requests.Execute(sql, hasColumns: true);
    }

    // Nothing else is due within a group.
    private Progress EndOfGroup
    {
        get
        {
            if (!_isInGroup)
                return Progress.NeedMore;
            End();
            return Progress.Done;
        }
    }

    private void End()
    {
        if (Error is null)
            _session.Types.LookUpSucceeded(_found, _names);
        else
            _session.Types.LookUpFailed(Error, _names);
    }
}
