using System.Data.Common;

namespace Loxo.Session;

/// <summary>Receives a session's asynchronous messages: notices and notifications.</summary>
internal interface ISessionListener
{
    void Notice(ServerErrorFields notice);

    void Notification(PgNotificationEventArgs notification);

    /// <summary>The command whose reader is open; null for none.</summary>
    DbCommand? CommandInProgress => null;
}
