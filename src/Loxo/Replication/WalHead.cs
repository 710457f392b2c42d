namespace Loxo.Replication;

/// <summary>The places and the moment in front of the data of a message.</summary>
/// <param name="WalStart">Where the data start in the write-ahead log.</param>
/// <param name="WalEnd">The end of the log on the server when it sent the message.</param>
/// <param name="SentAt">The server's clock then: see <see cref="ServerClock"/>.</param>
internal readonly record struct WalHead(PgLogSequenceNumber WalStart, PgLogSequenceNumber WalEnd, long SentAt);
