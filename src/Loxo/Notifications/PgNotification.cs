namespace Loxo;

/// <summary>
/// An item of <see cref="PgDataSource.ListenAsync(string, CancellationToken)"/>: a notification, or a gap marker, which says that
/// notifications before it may have been missed.
/// </summary>
/// <remarks>
/// Whatever has been committed when the reader gets a gap marker can be read from the database; whatever is committed later comes as a
/// notification. So a program that reads the state at each gap marker, the first one included, misses nothing.
/// </remarks>
public readonly record struct PgNotification
{
    internal PgNotification(PgNotificationEventArgs notification)
        : this() => (Channel, Payload, PID) = (notification.Channel, notification.Payload, notification.PID);

    internal PgNotification(PgNotificationGap gap, long dropped)
        : this() => (Channel, Payload, Gap, Dropped) = ("", "", gap, dropped);

    /// <summary>The channel's name; empty for a gap marker.</summary>
    public string Channel { get; }

    /// <summary>The payload of NOTIFY; empty if it had none, and for a gap marker.</summary>
    public string Payload { get; }

    /// <summary>The process id of the server's session that ran NOTIFY; 0 for a gap marker.</summary>
    public int PID { get; }

    /// <summary>Why notifications may have been missed; <see cref="PgNotificationGap.None"/> for a notification.</summary>
    public PgNotificationGap Gap { get; }

    /// <summary>Whether it is a gap marker.</summary>
    public bool IsGap => Gap != PgNotificationGap.None;

    /// <summary>How many notifications were dropped because the reader's queue was full; 0 for a notification.</summary>
    public long Dropped { get; }
}

/// <summary>Why notifications may have been missed in front of a gap marker.</summary>
public enum PgNotificationGap
{
    /// <summary>None were: it is a notification.</summary>
    None,

    /// <summary>The server has begun to send notifications. The first item that a reader gets.</summary>
    Started,

    /// <summary>The connection was lost. The server sends notifications again, to a new connection.</summary>
    ConnectionLost,

    /// <summary>The reader's queue was full: <see cref="PgNotification.Dropped"/> notifications were dropped.</summary>
    QueueFull,
}
