namespace Loxo.Commands;

/// <summary>What few connections have: ten thousand objects are smaller without.</summary>
internal sealed class ConnectionExtras
{
    public PgPipeline? Pipeline;
    public IOpenOperation? Copy;
    /// <summary>Its session is not given up before the connection is closed.</summary>
    public bool IsPinned;
    public ProvidePasswordCallback? ProvidePassword;
    public NoticeEventHandler? Notice;
    public NotificationEventHandler? Notification;

    /// <summary>Raises the event. A handler's error is no error of the command that happens to run.</summary>
    public void RaiseNotice(PgConnection connection, PostgresNotice notice)
    {
        try
        {
            Notice?.Invoke(connection, new(notice));
        }
        catch (Exception)
        {
        }
    }

    /// <inheritdoc cref="RaiseNotice"/>
    public void RaiseNotification(PgConnection connection, PgNotificationEventArgs notification)
    {
        try
        {
            Notification?.Invoke(connection, notification);
        }
        catch (Exception)
        {
        }
    }
}
