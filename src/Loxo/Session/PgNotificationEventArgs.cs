namespace Loxo;

/// <summary>Receives the notifications that a connection listens for.</summary>
/// <param name="sender">The connection.</param>
/// <param name="e">The notification.</param>
public delegate void NotificationEventHandler(object sender, PgNotificationEventArgs e);

/// <summary>A notification: somebody ran NOTIFY on a channel that the connection listens to.</summary>
public sealed class PgNotificationEventArgs : EventArgs
{
    internal PgNotificationEventArgs(int processId, string channel, string payload) =>
        (PID, Channel, Payload) = (processId, channel, payload);

    /// <summary>The process id of the server's session that ran NOTIFY; a connection hears its own notifications too.</summary>
    public int PID { get; }

    /// <summary>The channel's name.</summary>
    public string Channel { get; }

    /// <summary>The payload of NOTIFY; empty if it had none.</summary>
    public string Payload { get; }
}
