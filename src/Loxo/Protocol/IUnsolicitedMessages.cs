using Loxo.Protocol.Backend;

namespace Loxo.Protocol;

/// <summary>Receives the messages that belong to no exchange: notices, notifications, parameter changes.</summary>
internal interface IUnsolicitedMessages
{
    void Notice(ServerErrorFields notice)
    {
    }

    void Notification(NotificationResponse notification)
    {
    }

    void ParameterStatus(ParameterStatus parameter)
    {
    }
}

/// <summary>Ignores the messages: for exchanges before or beside a session.</summary>
internal sealed class NullUnsolicitedMessages : IUnsolicitedMessages
{
    public static readonly NullUnsolicitedMessages Instance = new();
}
