using Loxo.Protocol.Backend;

namespace Loxo.Protocol;

/// <summary>Who is told of messages that belong to no exchange.</summary>
internal interface IUnsolicitedMessages
{
    void Notice(ServerErrorFields notice);

    void Notification(NotificationResponse notification);

    void ParameterStatus(ParameterStatus parameter);
}

/// <summary>For exchanges before or beside a session, where nobody listens.</summary>
internal sealed class NobodyListens : IUnsolicitedMessages
{
    public static readonly NobodyListens Instance = new();

    void IUnsolicitedMessages.Notice(ServerErrorFields notice)
    {
    }

    void IUnsolicitedMessages.Notification(NotificationResponse notification)
    {
    }

    void IUnsolicitedMessages.ParameterStatus(ParameterStatus parameter)
    {
    }
}
