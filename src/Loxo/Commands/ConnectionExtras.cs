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

    /// <summary>The data source of several hosts that it was made of, while it is open on one of them.</summary>
    public PgDataSource? Given;

    /// <summary>When it got its session, by <see cref="System.Diagnostics.Stopwatch"/>; 0 if nobody wants to know.</summary>
    public long UsedSince;
    public NoticeEventHandler? Notice;
    public NotificationEventHandler? Notification;

    /// <summary>The connection is closed.</summary>
    public void Closed(PgConnection connection, ref PgDataSource? source)
    {
        ConnectionUse.End(connection, this);
        (source, Given) = (Given ?? source, null);
    }

    /// <summary>How many notices and notifications have come.</summary>
    public long Heard { get; private set; }

    /// <summary>Raises <see cref="Notice"/>.</summary>
    public void Raise(PgConnection connection, ServerErrorFields fields)
    {
        Heard++;
        try
        {
            Notice?.Invoke(connection, new(new PostgresNotice(fields, connection.Source!.Settings.Session.IncludeErrorDetail)));
        }
        catch (Exception)
        {
            // A handler's error is no error of the command that happens to run.
        }
    }

    /// <summary>Raises <see cref="Notification"/>.</summary>
    public void Raise(PgConnection connection, PgNotificationEventArgs notification)
    {
        Heard++;
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
