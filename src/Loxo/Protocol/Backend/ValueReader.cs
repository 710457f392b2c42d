using System.Buffers.Binary;

namespace Loxo.Protocol.Backend;

/// <summary>Fields of a message body, read in order. Every read is bounded by the body: a short one is a protocol violation.</summary>
internal ref struct ValueReader(ReadOnlySpan<byte> body)
{
    private ReadOnlySpan<byte> _rest = body;

    public readonly ReadOnlySpan<byte> Rest => _rest;

    public readonly bool IsAtEnd => _rest.IsEmpty;

    public byte ReadByte() => Take(1)[0];

    public short ReadInt16() => BinaryPrimitives.ReadInt16BigEndian(Take(2));

    /// <summary>A count: the protocol's Int16 read as unsigned, as the server writes it.</summary>
    public int ReadCount() => BinaryPrimitives.ReadUInt16BigEndian(Take(2));

    public int ReadInt32() => BinaryPrimitives.ReadInt32BigEndian(Take(4));

    public uint ReadUInt32() => BinaryPrimitives.ReadUInt32BigEndian(Take(4));

    public long ReadInt64() => BinaryPrimitives.ReadInt64BigEndian(Take(8));

    public ReadOnlySpan<byte> ReadBytes(int count) => Take(count);

    /// <summary>A zero-terminated string. Bytes that are not UTF-8 (an error before the encoding is agreed) become U+FFFD.</summary>
    public string ReadCString() => Encoding.UTF8.GetString(ReadCStringBytes());

    public ReadOnlySpan<byte> ReadCStringBytes()
    {
        var length = _rest.IndexOf((byte)0);
        if (length < 0)
            throw ProtocolErrors.Truncated();
        var text = _rest[..length];
        _rest = _rest[(length + 1)..];
        return text;
    }

    private ReadOnlySpan<byte> Take(int count)
    {
        if ((uint)count > (uint)_rest.Length)
            throw ProtocolErrors.Truncated();
        var taken = _rest[..count];
        _rest = _rest[count..];
        return taken;
    }
}
