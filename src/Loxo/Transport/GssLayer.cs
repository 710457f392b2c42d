using System.Buffers;
using System.Buffers.Binary;
using System.Net.Security;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;

namespace Loxo.Transport;

/// <summary>
/// GSSAPI encryption: packets of a length in four bytes and as many encrypted bytes (manual, "GSSAPI Session Encryption").
/// </summary>
internal sealed class GssLayer(NegotiateAuthentication gss) : SecurityLayer
{
    // The server takes no more, length included, and sends no more (PQ_GSS_MAX_PACKET_SIZE).
    private const int MostInPacket = 16 * 1024;

    // Encryption adds some 60 bytes with AES; the library does not tell how many.
    private const int EncryptAtOnce = MostInPacket - 1024;

    private readonly ArrayBufferWriter<byte> _packet = new(MostInPacket);
    private readonly byte[] _arrived = new byte[2 * MostInPacket];
    private int _start;
    private int _end;

    public override Memory<byte> FreeSpace()
    {
        // Less than a packet is left, so there is room.
        if (_start > 0)
        {
            _arrived.AsSpan(_start, _end - _start).CopyTo(_arrived);
            (_start, _end) = (0, _end - _start);
        }
        return _arrived.AsMemory(_end);
    }

    public override void Arrived(int count, MessageReader input)
    {
        _end += count;
        while (_end - _start >= sizeof(int))
        {
            var length = BinaryPrimitives.ReadInt32BigEndian(_arrived.AsSpan(_start));
            if (length is <= 0 or > MostInPacket - sizeof(int))
                throw TransportErrors.ImpossiblePacket(length);
            if (_end - _start - sizeof(int) < length)
                return;
            Decrypt(_arrived.AsSpan(_start + sizeof(int), length), input);
            _start += sizeof(int) + length;
        }
    }

    public override bool Encrypt(MessageWriter output)
    {
        if (output.Pending.IsEmpty)
            return false;
        var count = Math.Min(EncryptAtOnce, output.Pending.Length);
        _packet.ResetWrittenCount();
        var status = gss.Wrap(output.Pending[..count], _packet, requestEncryption: true, out var isEncrypted);
        if (status != NegotiateAuthenticationStatusCode.Completed || !isEncrypted || _packet.WrittenCount > MostInPacket - sizeof(int))
            throw TransportErrors.NotEncrypted(status);
        Outgoing.WriteInt32(_packet.WrittenCount);
        Outgoing.WriteBytes(_packet.WrittenSpan);
        output.Consume(count);
        return true;
    }

    public override void Dispose() => gss.Dispose();

    private void Decrypt(Span<byte> packet, MessageReader input)
    {
        var status = gss.UnwrapInPlace(packet, out var offset, out var length, out var wasEncrypted);
        if (status != NegotiateAuthenticationStatusCode.Completed || !wasEncrypted)
            throw TransportErrors.NotDecrypted(status);
        input.Append(packet.Slice(offset, length));
    }
}
