namespace Loxo;

/// <summary>A message of a replication stream. Unlike Npgsql's, messages are not used again: they may be kept.</summary>
public abstract class ReplicationMessage
{
    /// <summary>The place in the write-ahead log where the data of the message start; 0/0 where there is none.</summary>
    public PgLogSequenceNumber WalStart { get; internal init; }

    /// <summary>The end of the write-ahead log on the server when it sent the message.</summary>
    public PgLogSequenceNumber WalEnd { get; internal init; }

    /// <summary>The server's clock when it sent the message, in UTC.</summary>
    public DateTime ServerClock => Replication.ServerClock.ToTime(SentAt);

    internal long SentAt { get; init; }
}
