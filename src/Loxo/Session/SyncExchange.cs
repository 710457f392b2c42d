using Loxo.Protocol;
using Loxo.Protocol.Backend;

namespace Loxo.Session;

/// <summary>
/// Asks whether the server is there and lets a late cancel signal pass: an error on the way is not an error of anybody's.
/// F: Sync / B: [E] Z
/// </summary>
internal sealed class SyncExchange(ServerSession session) : Exchange(session)
{
    protected override Progress On(BackendMessage message)
    {
        switch (message.Type)
        {
            case BackendMessageType.ErrorResponse:
                return Progress.NeedMore;
            case BackendMessageType.ReadyForQuery:
                session.TransactionStatus = new ReadyForQuery(message.Body).Status;
                return Progress.Done;
            default:
                throw ProtocolErrors.UnexpectedMessage("ReadyForQuery", message.Type);
        }
    }
}
