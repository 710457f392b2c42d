using Loxo.Replication;

namespace Loxo;

/// <summary>A message of a replication stream. Unlike Npgsql's, messages are not used again: they may be kept.</summary>
public abstract class ReplicationMessage
{
    /// <summary>The place in the write-ahead log where the data of the message start; 0/0 where there is none.</summary>
    public PgLogSequenceNumber WalStart => Head.WalStart;

    /// <summary>The end of the write-ahead log on the server when it sent the message.</summary>
    public PgLogSequenceNumber WalEnd => Head.WalEnd;

    /// <summary>The server's clock when it sent the message, in UTC.</summary>
    public DateTime ServerClock => Replication.ServerClock.ToTime(Head.SentAt);

    internal WalHead Head { get; init; }
}
