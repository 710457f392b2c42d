namespace Loxo.Session;

/// <summary>
/// The large objects that a transaction has opened, by their descriptors. The server closes them with the transaction, and numbers those of
/// the next one from 0 again. So each transaction has an object of its own.
/// </summary>
internal sealed class OpenLargeObjects
{
    private readonly Dictionary<int, object> _holders = [];

    /// <summary>
    /// A ROLLBACK has run, most likely to a savepoint: the server has closed what was opened behind it (AtEOSubXact_LargeObject,
    /// be-fsstubs.c).
    /// </summary>
    public bool MayBeClosed { get; private set; }

    /// <summary>A large object was opened. Who had its descriptor before has lost it: the server gives none twice.</summary>
    public void Add(int descriptor, object holder) => _holders[descriptor] = holder;

    /// <summary>Whether the descriptor is still the holder's.</summary>
    public bool Has(int descriptor, object holder) => _holders.TryGetValue(descriptor, out var last) && ReferenceEquals(last, holder);

    /// <summary>A statement has run.</summary>
    /// <returns>Whether the transaction has ended with it, though the next one may have begun before ReadyForQuery says so.</returns>
    public bool IsEndedBy(ReadOnlySpan<byte> tag)
    {
        if (tag.SequenceEqual("ROLLBACK"u8))
            MayBeClosed = true;
        return tag.SequenceEqual("COMMIT"u8) || tag.SequenceEqual("PREPARE TRANSACTION"u8)
            || (MayBeClosed && (tag.SequenceEqual("BEGIN"u8) || tag.SequenceEqual("START TRANSACTION"u8)));
    }
}
