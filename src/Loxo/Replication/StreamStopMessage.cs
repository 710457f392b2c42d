namespace Loxo;

/// <summary>The part of a transaction that has not ended is over.</summary>
public sealed class StreamStopMessage : PgOutputReplicationMessage
{
    internal StreamStopMessage()
    {
    }
}
