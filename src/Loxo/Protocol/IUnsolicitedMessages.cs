using Loxo.Protocol.Backend;

namespace Loxo.Protocol;

/// <summary>Who is told of messages that belong to no exchange.</summary>
internal interface IUnsolicitedMessages
{
    void Notice(ServerErrorFields notice);

    void Notification(NotificationResponse notification);

    void ParameterStatus(ParameterStatus parameter);
}
