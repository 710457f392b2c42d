using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;

namespace Loxo.Transport;

/// <summary>Encryption between a wire's buffers and its channel. It never touches the network.</summary>
internal abstract class SecurityLayer : IDisposable
{
    /// <summary>What is to be sent.</summary>
    public MessageWriter Outgoing { get; } = new(32 * 1024);

    /// <summary>Room for what arrives. Throws at the end of the stream, when everything before it has been delivered.</summary>
    public abstract Memory<byte> FreeSpace();

    /// <summary>Takes <paramref name="count"/> bytes of ciphertext and moves what they decrypt to into <paramref name="input"/>.</summary>
    public abstract void Arrived(int count, MessageReader input);

    /// <summary>Moves some plain text from <paramref name="output"/> to <see cref="Outgoing"/>; false when there is none.</summary>
    public abstract bool Encrypt(MessageWriter output);

    /// <summary>Writes what tells the server that nothing follows, if there is such a thing.</summary>
    public virtual void WriteClosing()
    {
    }

    public abstract void Dispose();
}
