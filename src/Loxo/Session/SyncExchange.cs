using Loxo.Protocol;
using Loxo.Protocol.Backend;

namespace Loxo.Session;

/// <summary>
/// Absorbs a late cancel signal: its error belongs to no command.
/// F: Sync / B: [E] Z
/// </summary>
internal sealed class SyncExchange : MessageExchange
{
    private readonly ServerSession _session;

    /// <summary>Writes Sync; the session must have been begun.</summary>
    public SyncExchange(ServerSession session)
        : base(session, new ExpectedReplies())
    {
        _session = session;
        new RequestWriter(session.Output, Expected).Sync();
        session.Wire.Enqueue(this);
    }

    // A cancel signal is expected here; any other error before the end of the stream is why the server closed it.
    private ServerErrorFields? _error;

    public override PgException? OnEndOfStream() => _error is null ? null : SessionErrors.FromServer(_error, _session.Context.Settings);

    protected override Progress On(BackendMessage message)
    {
        switch (message.Type)
        {
            case BackendMessageType.ErrorResponse:
                var error = new ErrorOrNotice(message.Body).ToFields();
                if (error.SqlState != SqlStates.QueryCanceled)
                    _error ??= error;
                return Progress.NeedMore;
            case BackendMessageType.ReadyForQuery:
                _session.TransactionStatus = new ReadyForQuery(message.Body).Status;
                return Progress.Done;
            default:
                throw ProtocolErrors.UnexpectedMessage("ReadyForQuery", message.Type);
        }
    }
}
