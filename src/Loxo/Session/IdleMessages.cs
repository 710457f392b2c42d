using Loxo.Protocol;
using Loxo.Protocol.Backend;

namespace Loxo.Session;

/// <summary>
/// What the server says between two commands, without having been asked: notices, settings, notifications, or why it is about to close.
/// B: (N | S | A)* [E]
/// </summary>
internal sealed class IdleMessages(ServerSession session) : MessageExchange(session)
{
    /// <summary>What the server closes the session for; null if it does not.</summary>
    public ServerErrorFields? Error { get; private set; }

    public override PgException? OnEndOfStream() => Error is null ? null : SessionErrors.FromServer(Error, session.Context.Settings);

    public override Progress Advance(MessageReader messages)
    {
        var progress = base.Advance(messages);
        // The beginning of a message tells its type.
        if (progress == Progress.NeedMore && messages.Unread is [var type, ..])
            Check((BackendMessageType)type);
        return progress;
    }

    protected override Progress On(BackendMessage message)
    {
        Check(message.Type);
        Error = new ErrorOrNotice(message.Body).ToFields();
        return Progress.Done;
    }

    private static void Check(BackendMessageType type)
    {
        if (type != BackendMessageType.ErrorResponse && !IsUnsolicited(type))
            throw ProtocolErrors.UnexpectedMessage("nothing, between two commands", type);
    }
}
