namespace Loxo.Session;

/// <summary>Whom a session tells what the server says unasked: the connection that has it at the time.</summary>
internal interface ISessionListener
{
    void Notice(ServerErrorFields notice);

    void Notification(PgNotificationEventArgs notification);
}
