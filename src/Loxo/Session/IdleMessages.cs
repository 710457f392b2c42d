using Loxo.Protocol;
using Loxo.Protocol.Backend;

namespace Loxo.Session;

/// <summary>
/// What the server says between two commands, without having been asked: notices, settings, notifications, or why it is about to close.
/// B: (N | S | A)* [E]
/// </summary>
internal sealed class IdleMessages(ServerSession session) : Exchange(session)
{
    /// <summary>What the server closes the session for; null if it does not.</summary>
    public ServerErrorFields? Error { get; private set; }

    public override PgException? OnEndOfStream() => Error is null ? null : SessionErrors.FromServer(Error, session.Context.Settings);

    protected override Progress On(BackendMessage message)
    {
        if (message.Type != BackendMessageType.ErrorResponse)
            throw ProtocolErrors.UnexpectedMessage("nothing, between two commands", message.Type);
        Error = new ErrorOrNotice(message.Body).ToFields();
        return Progress.Done;
    }
}
