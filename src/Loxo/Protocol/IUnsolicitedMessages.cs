using Loxo.Protocol.Backend;

namespace Loxo.Protocol;

/// <summary>Receives the messages that belong to no exchange: notices, notifications, parameter changes.</summary>
internal interface IUnsolicitedMessages
{
    void Notice(ServerErrorFields notice);

    void Notification(NotificationResponse notification);

    void ParameterStatus(ParameterStatus parameter);
}

/// <summary>Ignores them: for exchanges before or beside a session.</summary>
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
