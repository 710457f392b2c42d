using Loxo.Protocol;
using Loxo.Protocol.Backend;

namespace Loxo.Session;

/// <summary>
/// Asynchronous messages between two commands: notices, settings, notifications, or the FATAL error before the server closes.
/// B: (N | S | A)* [E]
/// </summary>
/// <param name="session">Where they come.</param>
/// <param name="stopsAtMessage">Whether it is done with the first notice or notification.</param>
internal sealed class IdleMessages(ServerSession session, bool stopsAtMessage = false) : MessageExchange(session.Owner)
{
    /// <summary>The error with which the server closes the session; null if it does not.</summary>
    public ServerErrorFields? Error { get; private set; }

    public override PgException? OnEndOfStream() => Error is null ? null : SessionErrors.FromServer(Error, session.Context);

    public override Progress Advance(MessageReader messages)
    {
        var progress = base.Advance(messages);
        // The beginning of a message tells its type.
        if (progress == Progress.NeedMore && messages.Unread is [var type, ..])
            Check((BackendMessageType)type);
        return progress;
    }

    protected override Progress AcceptUnsolicited(BackendMessage message)
    {
        base.AcceptUnsolicited(message);
        return stopsAtMessage && message.Type != BackendMessageType.ParameterStatus ? Progress.Done : Progress.NeedMore;
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
