using Loxo.Transactions;

namespace Loxo.Commands;

/// <summary>What few connections have: ten thousand objects are smaller without.</summary>
internal sealed class ConnectionExtras
{
    public PgPipeline? Pipeline;
    public IOpenOperation? Copy;
    /// <summary>Its session is not given up before the connection is closed.</summary>
    public bool IsPinned;
    public ProvidePasswordCallback? ProvidePassword;
    public EnlistedSession? Enlisted;
    public NoticeEventHandler? Notice;
    public NotificationEventHandler? Notification;

    public void Raise(PgConnection connection, PgNoticeEventArgs notice)
    {
        try
        {
            Notice?.Invoke(connection, notice);
        }
        catch (Exception)
        {
            // A handler's error is no error of the command that happens to run.
        }
    }

    public void Raise(PgConnection connection, PgNotificationEventArgs notification)
    {
        try
        {
            Notification?.Invoke(connection, notification);
        }
        catch (Exception)
        {
            // As above.
        }
    }
}
