namespace Loxo.Protocol.Frontend;

/// <summary>
/// The bytes of a value that are too many to be written: <see cref="MessageWriter"/> only marks their place in its queue, and the sender
/// pulls them piece by piece when their turn comes.
/// </summary>
internal abstract class OutputSource
{
    /// <summary>The <see cref="Length"/> of a source that has not been measured.</summary>
    public const long Unknown = -1;

    /// <summary>
    /// How many bytes there are. It has to be known before the first byte of the message is sent, since the message begins with it.
    /// </summary>
    public abstract long Length { get; }

    /// <summary>Whether the same bytes could be had again, from the start.</summary>
    public abstract bool CanRewind { get; }

    public abstract void Rewind();

    /// <summary>All bytes have been pulled, or are no longer needed.</summary>
    public abstract void Release();
}
