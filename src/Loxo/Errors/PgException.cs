using System.Data.Common;
using System.Net.Sockets;

namespace Loxo;

/// <summary>
/// An error found by the driver: the network, the protocol, a time limit, a conversion, a wrong use. An error that the server reports is a
/// <see cref="PostgresException"/>, which derives from this class.
/// </summary>
public partial class PgException : DbException
{
    /// <summary>Makes an exception with the framework's standard text and <see cref="PgErrorCode.Unspecified"/>.</summary>
    public PgException()
    {
    }

    /// <summary>Makes an exception with a text and <see cref="PgErrorCode.Unspecified"/>.</summary>
    /// <param name="message">The error message.</param>
    public PgException(string? message)
        : base(message)
    {
    }

    /// <summary>Makes an exception with a text, a cause and <see cref="PgErrorCode.Unspecified"/>.</summary>
    /// <param name="message">The error message.</param>
    /// <param name="innerException">The cause, or null. It decides <see cref="IsTransient"/>.</param>
    public PgException(string? message, Exception? innerException)
        : base(message, innerException)
    {
    }

    internal PgException(string? message, PgErrorCode code, Exception? innerException = null)
        : base(message, innerException) => Code = code;

    /// <summary>Why the driver threw; stable across versions, so that programs need not look at texts.</summary>
    public PgErrorCode Code { get; }

    /// <summary>
    /// The text of the statement that failed, with <c>$1</c> for the first parameter: no values but those that the text itself has. Of
    /// several statements it is the one that the server has refused, or the first. Null if no statement of a command, batch, pipeline or
    /// lane is to blame. Messages do not show it.
    /// </summary>
    public string? Statement { get; private protected set; }

    /// <summary>
    /// True when the same operation may succeed if it is tried again: the connection was lost or refused, a time limit passed, the pool was
    /// exhausted, or the cause is an <see cref="IOException"/>, a <see cref="SocketException"/>, a <see cref="TimeoutException"/> or
    /// another transient database error. The effect of the lost operation on the server is unknown: retry it only if running it twice is
    /// safe. It is false when it is not known whether a transaction was committed, and when a certificate cannot be used.
    /// </summary>
    public override bool IsTransient =>
        Code is not (PgErrorCode.CommitOutcomeUnknown or PgErrorCode.CertificateUnusable) && IsLikelyToPass;

    private bool IsLikelyToPass =>
        Code is PgErrorCode.ConnectionClosed or PgErrorCode.ConnectionRefused or PgErrorCode.Timeout or PgErrorCode.PoolExhausted
            or PgErrorCode.NoSuitableHost
        || InnerException is IOException or SocketException or TimeoutException or DbException { IsTransient: true };

    /// <summary>Names the statement, unless one is named already.</summary>
    internal void Blame(string? statement) => Statement ??= statement;

    /// <summary>Whether the value that could not be read shows that its type has changed since it was looked up.</summary>
    internal bool IsTypeOutdated { get; init; }

    /// <summary>The statement of a batch that failed, where the connection string asks for it.</summary>
    internal DbBatchCommand? FailedCommand { get; set; }

    /// <inheritdoc/>
    protected override DbBatchCommand? DbBatchCommand => FailedCommand;
}
