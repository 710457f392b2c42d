namespace Loxo.Commands;

/// <summary>What few connections have: ten thousand objects are smaller without.</summary>
internal sealed class ConnectionExtras
{
    public PgPipeline? Pipeline;
    public bool IsPinned;
    public ProvidePasswordCallback? ProvidePassword;
    public NoticeEventHandler? Notice;
    public NotificationEventHandler? Notification;
}
