namespace Loxo.Protocol.Frontend;

/// <summary>Bytes too many to be written: the writer marks their place, and the sender pulls them when their turn comes.</summary>
internal abstract class OutputSource
{
    public const long Unknown = -1;

    /// <summary>Has to be known before the first byte of the message is sent, since the message begins with it.</summary>
    public abstract long Length { get; }

    /// <summary>Whether the same bytes could be had again, from the start.</summary>
    public abstract bool CanRewind { get; }

    public abstract void Rewind();

    /// <summary>All bytes have been pulled, or are no longer needed.</summary>
    public abstract void Release();
}
