namespace Loxo;

/// <summary>
/// A replication slot: the server keeps the write-ahead log that its reader has not confirmed, also while nobody reads. Drop slots that are
/// not needed any more, or the server's disk fills.
/// </summary>
/// <exception cref="ArgumentException">A constructor: the name is empty.</exception>
public abstract class ReplicationSlot
{
    private protected ReplicationSlot(string name)
    {
        if (string.IsNullOrEmpty(name))
            throw new ArgumentException("A replication slot has a name.", nameof(name));
        Name = name;
    }

    /// <summary>Its name: lower-case letters, digits and underscores, at most 63.</summary>
    public string Name { get; }
}
