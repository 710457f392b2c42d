namespace Loxo;

/// <summary>A message of the plugin pgoutput (manual, "Logical Replication Message Formats").</summary>
public abstract class PgOutputReplicationMessage : ReplicationMessage
{
    private protected PgOutputReplicationMessage()
    {
    }

    /// <summary>The name of its type.</summary>
    public override string ToString() => GetType().Name;
}
