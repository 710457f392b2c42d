namespace Loxo;

/// <summary>
/// A replication slot: the server keeps the write-ahead log that its reader has not confirmed, also while nobody reads. Drop slots that are
/// not needed any more, or the server's disk fills.
/// </summary>
public abstract class ReplicationSlot
{
    private protected ReplicationSlot(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        Name = name;
    }

    /// <summary>Its name: lower-case letters, digits and underscores, at most 63.</summary>
    public string Name { get; }
}
