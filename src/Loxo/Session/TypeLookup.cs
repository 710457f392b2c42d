using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;
using Loxo.Types;

namespace Loxo.Session;

/// <summary>
/// Asks the catalogue about types, by OID and by name, with all that they are made of.
/// F: [SAVEPOINT] Parse Bind Execute [RELEASE] Sync
/// B: 1 2 D* C Z; after E, in a transaction, F: Query(ROLLBACK TO) / B: C C Z
/// </summary>
internal sealed class TypeLookup : MessageExchange
{
    private readonly ServerSession _session;
    private readonly TransactionGuard _guard;
    private readonly TypeName[] _names;
    private readonly List<TypeDescription> _found = [];

    /// <summary>Writes the query; the session must have been claimed.</summary>
    /// <param name="session">Where to ask: it sees what its own transaction has made.</param>
    /// <param name="status">Whether a transaction will be open when it runs.</param>
    /// <param name="oids">Types that values have come of.</param>
    /// <param name="names">Types that parameters are of.</param>
    public TypeLookup(ServerSession session, TransactionStatus status, IReadOnlyCollection<uint> oids, IReadOnlyCollection<TypeName> names)
        : base(session, new ExpectedReplies())
    {
        _session = session;
        _names = [.. names];
        _guard = new TransactionGuard(Requests, status, "loxo_types");
        _guard.Write();
        Write(oids, names);
        _guard.Release();
        Requests.Sync();
    }

    /// <summary>What went wrong on the server; the types stay unknown.</summary>
    public ServerErrorFields? Error { get; private set; }

    private RequestWriter Requests => new(_session.Output, Expected);

    public override PgException? OnEndOfStream() => Error is { } error ? SessionErrors.FromServer(error, _session.Context.Settings) : null;

    protected override Progress On(BackendMessage message)
    {
        switch (message.Type)
        {
            case BackendMessageType.DataRow:
                _found.Add(TypeQuery.Read(new DataRow(message.Body), _session.Effects.HasOtherNamesInTransaction));
                return Progress.NeedMore;
            case BackendMessageType.ErrorResponse:
                Error ??= new ErrorOrNotice(message.Body).ToFields();
                return Progress.NeedMore;
            case BackendMessageType.ParseComplete or BackendMessageType.BindComplete or BackendMessageType.CommandComplete:
                return Progress.NeedMore;
            case BackendMessageType.ReadyForQuery:
                if (Error is not null && _guard.TryRestore())
                    return Progress.FlightEnd;
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

    private void End()
    {
        if (Error is null)
            _session.Types.LookUpSucceeded(_found, _names);
        else
            _session.Types.LookUpFailed(_names);
    }
}
