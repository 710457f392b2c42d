namespace Loxo.Session;

/// <summary>Receives a session's asynchronous messages: notices and notifications.</summary>
internal interface ISessionListener
{
    void Notice(ServerErrorFields notice);

    void Notification(PgNotificationEventArgs notification);
}
