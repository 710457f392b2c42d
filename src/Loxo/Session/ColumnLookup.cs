using Loxo.Protocol;
using Loxo.Protocol.Backend;

namespace Loxo.Session;

/// <summary>
/// Asks which columns a statement returns before its first run, and remembers the formats to ask for them in. The statement is not executed. Types that are not known
/// are looked up.
/// F: Parse Describe Sync, then perhaps a <see cref="TypeLookup"/>
/// B: 1 t (T | n) Z, or E Z
/// </summary>
internal sealed class ColumnLookup : Exchange
{
    private readonly ServerSession _session;
    private readonly string _sql;
    private readonly uint[] _types;
    private ResultShape? _shape;
    private TypeLookup? _lookup;

    /// <summary>Writes the question; the session must have been begun.</summary>
    /// <param name="session">Where the statement will run.</param>
    /// <param name="sql">Its text, with <c>$n</c> placeholders.</param>
    /// <param name="types">The types of its parameters; 0 where the server chooses.</param>
    public ColumnLookup(ServerSession session, string sql, uint[] types)
        : base(session, new ExpectedReplies())
    {
        _session = session;
        _sql = sql;
        _types = types;
        var requests = new RequestWriter(session.Output, Expected);
        requests.Parse("", sql, types);
        requests.DescribeStatement("");
        requests.Sync();
    }

    /// <summary>Why the server does not describe the statement. Outside a transaction, running it will tell the same.</summary>
    public ServerErrorFields? Error { get; private set; }

    public override Progress Advance(MessageReader messages)
    {
        if (_lookup is null && base.Advance(messages) != Progress.Done)
            return Progress.NeedMore;
        if (_lookup is not null && _lookup.Advance(messages) != Progress.Done)
            return Progress.NeedMore;
        if (_shape is not null)
            _session.Context.Formats.Keep(_sql, _types, (_lookup is null ? _shape : _shape.With(_session.Types.Known)).Formats);
        return Progress.Done;
    }

    public override PgException? OnEndOfStream() => (Error ?? _lookup?.Error) is { } error ? SessionErrors.FromServer(error, _session.Context.Settings) : null;

    protected override Progress On(BackendMessage message)
    {
        switch (message.Type)
        {
            case BackendMessageType.RowDescription:
                _shape = ResultShape.Read(new RowDescription(message.Body), _session.Types.Known, ofStatement: true);
                return Progress.NeedMore;
            case BackendMessageType.ErrorResponse:
                Error = new ErrorOrNotice(message.Body).ToFields();
                return Progress.NeedMore;
            case BackendMessageType.ReadyForQuery:
                _session.TransactionStatus = new ReadyForQuery(message.Body).Status;
                LookUpTypes();
                return Progress.Done;
            default:
                return Progress.NeedMore;
        }
    }

    private void LookUpTypes()
    {
        if (_shape is { HasUnknownTypes: true } && _session.Types.HasCatalogue && _session.StopReason == StopReason.None)
            _lookup = new TypeLookup(_session, _session.TransactionStatus, [.. _shape.UnknownTypes], []);
    }
}
