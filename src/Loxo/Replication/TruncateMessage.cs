namespace Loxo;

/// <summary>Tables were truncated.</summary>
public sealed class TruncateMessage : TransactionalMessage
{
    internal TruncateMessage(IReadOnlyList<RelationMessage> relations) => Relations = relations;

    /// <summary>Options of TRUNCATE.</summary>
    [Flags]
    public enum TruncateOptions : byte
    {
        /// <summary>None.</summary>
        None = 0,

        /// <summary>CASCADE.</summary>
        Cascade = 1,

        /// <summary>RESTART IDENTITY.</summary>
        RestartIdentity = 2,
    }

    /// <summary>The options.</summary>
    public TruncateOptions Options { get; internal init; }

    /// <summary>The tables.</summary>
    public IReadOnlyList<RelationMessage> Relations { get; }
}
