using Loxo.Protocol;
using Loxo.Protocol.Backend;

namespace Loxo.Session;

/// <summary>
/// Asynchronous messages between two commands: notices, settings, notifications, or the FATAL error before the server closes.
/// B: (N | S | A)* [E]
/// </summary>
/// <param name="session">Where they come.</param>
/// <param name="isOver">Whether a notice or notification has come that it waits for; null if it waits for none.</param>
internal sealed class IdleMessages(ServerSession session, Func<bool>? isOver = null) : MessageExchange(session.Owner)
{
    /// <summary>The error with which the server closes the session; null if it does not.</summary>
    public ServerErrorFields? Error { get; private set; }

    public override PgException? OnEndOfStream() => Error is null ? null : SessionErrors.FromServer(Error, session.Context);

    public override Progress Advance(MessageReader messages)
    {
        if (isOver is not null && isOver())
            return Progress.Done;
        var progress = base.Advance(messages);
        // The beginning of a message tells its type.
        if (progress == Progress.NeedMore && messages.Unread is [var type, ..])
            Check((BackendMessageType)type);
        return progress;
    }

    protected override Progress AcceptUnsolicited(BackendMessage message)
    {
        base.AcceptUnsolicited(message);
        return isOver is not null && isOver() ? Progress.Done : Progress.NeedMore;
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
