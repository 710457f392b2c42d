namespace Loxo;

/// <summary>A slot of the plugin test_decoding.</summary>
public class TestDecodingReplicationSlot : LogicalReplicationSlot
{
    internal const string Plugin = "test_decoding";

    /// <param name="slotName">The name of a slot that is there.</param>
    public TestDecodingReplicationSlot(string slotName)
        : this(new ReplicationSlotOptions(slotName))
    {
    }

    /// <param name="options">What is known of a slot that is there.</param>
    public TestDecodingReplicationSlot(ReplicationSlotOptions options)
        : base(Plugin, options)
    {
    }

    /// <param name="slot">Another one for the same slot.</param>
    protected TestDecodingReplicationSlot(TestDecodingReplicationSlot slot)
        : this((slot ?? throw new ArgumentNullException(nameof(slot))).Options)
    {
    }
}
