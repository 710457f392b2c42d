using Loxo.Transport;

namespace Loxo.Session;

/// <summary>
/// Something that a login needs and only a call that waits can supply, such as a Kerberos ticket. The <see cref="Handshake"/> stops for it.
/// </summary>
internal abstract class CredentialRequest
{
    /// <summary>Gets the bytes of the next answer to the server, blocking.</summary>
    /// <returns>Empty if there is nothing to answer.</returns>
    public abstract byte[] Get(Deadline limit);

    /// <inheritdoc cref="Get"/>
    public abstract ValueTask<byte[]> GetAsync(Deadline limit, CancellationToken token);
}
