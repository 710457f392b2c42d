namespace Loxo.Embedded;

/// <summary>
/// The embedded server could not be found, fetched, started or controlled. The message says what to install or to change.
/// </summary>
public sealed class PgEmbeddedServerException : Exception
{
    /// <summary>Makes an exception with a message of its own.</summary>
    /// <param name="message">What was expected, what happened and what to change.</param>
    public PgEmbeddedServerException(string message)
        : base(message)
    {
    }

    /// <summary>Makes an exception for a failure that another one caused.</summary>
    /// <param name="message">What was expected, what happened and what to change.</param>
    /// <param name="innerException">The failure underneath.</param>
    public PgEmbeddedServerException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
