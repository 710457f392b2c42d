using Loxo.Protocol;
using Loxo.Protocol.Backend;

namespace Loxo.Session;

/// <summary>
/// Asks which parameters a statement has. The statement is not executed.
/// F: Parse Describe Sync
/// B: 1 t (T | n) Z, or E Z
/// </summary>
internal sealed class ParameterLookup : MessageExchange
{
    private readonly ServerSession _session;

    /// <summary>Writes the request; the session must have been claimed.</summary>
    /// <param name="session">Where to ask.</param>
    /// <param name="sql">The statement, with <c>$n</c> placeholders.</param>
    public ParameterLookup(ServerSession session, string sql)
        : base(session, new ExpectedReplies())
    {
        _session = session;
        var requests = new RequestWriter(session.Output, Expected);
        requests.Parse("", sql, []);
        requests.DescribeStatement("");
        requests.Sync();
        session.Wire.Enqueue(this);
    }

    /// <summary>The server's error, or null.</summary>
    public ServerErrorFields? Error { get; private set; }

    /// <summary>The type of each parameter.</summary>
    public uint[] Types { get; private set; } = [];

    public override PgException? OnEndOfStream() => Error is null ? null : SessionErrors.FromServer(Error, _session.Context.Settings);

    protected override Progress On(BackendMessage message)
    {
        switch (message.Type)
        {
            case BackendMessageType.ParameterDescription:
                Types = new ParameterDescription(message.Body).Types;
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
