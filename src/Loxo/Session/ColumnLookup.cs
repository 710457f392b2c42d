using Loxo.Protocol;
using Loxo.Protocol.Backend;

namespace Loxo.Session;

/// <summary>
/// Asks which parameters a statement has and which columns it returns. The statement is not executed.
/// F: Parse Describe Sync
/// B: 1 t (T | n) Z, or E Z
/// </summary>
internal sealed class ColumnLookup : MessageExchange
{
    private readonly ServerSession _session;
    private readonly string _sql;
    private readonly uint[] _types;

    /// <summary>Writes the request; the session must have been claimed.</summary>
    /// <param name="session">Where the statement will run.</param>
    /// <param name="sql">Its text, with <c>$n</c> placeholders.</param>
    /// <param name="types">The types of its parameters; 0 where the server chooses.</param>
    public ColumnLookup(ServerSession session, string sql, uint[] types)
        : base(session.Owner, new ExpectedReplies())
    {
        _session = session;
        _sql = sql;
        _types = types;
        var requests = new RequestWriter(session.Output, Expected);
        requests.Parse("", sql, types);
        requests.DescribeStatement("");
        requests.Sync();
    }

    /// <summary>The server's error. Outside a transaction, running the statement reports the same one.</summary>
    public ServerErrorFields? Error { get; private set; }

    /// <summary>The columns; null when the statement returns no rows or was refused.</summary>
    public ResultShape? Shape { get; private set; }

    /// <summary>The types of its parameters, as the server sees them; none if it was refused.</summary>
    public uint[] ParameterTypes { get; private set; } = [];

    /// <summary>Stores the formats to request for the columns, by the types that are known now.</summary>
    public void RememberFormats()
    {
        if (Shape is not null)
            _session.Context.Database.Formats.Keep(_sql, _types, Shape.With(_session.Types.Known).Formats);
    }

    public override PgException? OnEndOfStream() => Error is { } error ? SessionErrors.FromServer(error, _session.Context) : null;

    protected override Progress On(BackendMessage message)
    {
        switch (message.Type)
        {
            case BackendMessageType.ParameterDescription:
                ParameterTypes = new ParameterDescription(message.Body).Types;
                return Progress.NeedMore;
            case BackendMessageType.RowDescription:
                Shape = ResultShape.Read(new RowDescription(message.Body), _session.Types.Known, ofStatement: true);
                return Progress.NeedMore;
            case BackendMessageType.ErrorResponse:
                Error = new ErrorOrNotice(message.Body).ToFields();
                return Progress.NeedMore;
            case BackendMessageType.ReadyForQuery:
                _session.TransactionStatus = new ReadyForQuery(message.Body).Status;
                return Progress.Done;
            default:
                return Progress.NeedMore;
        }
    }
}
