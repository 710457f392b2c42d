namespace Loxo.Commands;

/// <summary>An operation that keeps a connection busy between calls of its user, and ends when the connection is closed.</summary>
internal interface IOpenOperation
{
    /// <summary>Whether a call is at work.</summary>
    bool IsInUse { get; }

    /// <summary>Ends it, blocking. Errors do not matter any more. Does nothing while another call is at work.</summary>
    void Abort();

    /// <inheritdoc cref="Abort"/>
    ValueTask AbortAsync();
}
