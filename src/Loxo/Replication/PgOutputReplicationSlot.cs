namespace Loxo;

/// <summary>A slot of the plugin pgoutput.</summary>
public class PgOutputReplicationSlot : LogicalReplicationSlot
{
    internal const string Plugin = "pgoutput";

    /// <param name="slotName">The name of a slot that is there.</param>
    public PgOutputReplicationSlot(string slotName)
        : this(new ReplicationSlotOptions(slotName))
    {
    }

    /// <param name="options">What is known of a slot that is there.</param>
    public PgOutputReplicationSlot(ReplicationSlotOptions options)
        : base(Plugin, options)
    {
    }

    /// <param name="slot">Another one for the same slot.</param>
    protected PgOutputReplicationSlot(PgOutputReplicationSlot slot)
        : this((slot ?? throw new ArgumentNullException(nameof(slot))).Options)
    {
    }
}
