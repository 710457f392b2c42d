namespace Loxo;

/// <summary>The prepared transaction is complete.</summary>
public sealed class PrepareMessage : PrepareMessageBase
{
    internal PrepareMessage()
    {
    }

    /// <summary>Flags of the PREPARE. PostgreSQL has none yet.</summary>
    [Flags]
    public enum PrepareFlags : byte
    {
        /// <summary>None.</summary>
        None = 0,
    }

    /// <summary>Flags of the PREPARE.</summary>
    public PrepareFlags Flags { get; internal init; }
}
