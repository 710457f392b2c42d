using System.Buffers.Binary;
using System.Text;

namespace Loxo.Benchmarks.Canned;

/// <summary>Messages encoded by hand, one after the other (manual, "Message Formats").</summary>
internal sealed class MessageBytes
{
    private readonly MemoryStream _bytes = new();
    private int _start;

    public int Length => (int)_bytes.Length;

    /// <summary>All that was written.</summary>
    public ReadOnlySpan<byte> Span => _bytes.GetBuffer().AsSpan(0, Length);

    public byte[] ToArray() => _bytes.ToArray();

    public void Clear() => _bytes.SetLength(0);

    /// <summary>Begins a message; <see cref="End"/> writes its length.</summary>
    public MessageBytes Begin(char type)
    {
        _start = Length;
        _bytes.WriteByte((byte)type);
        return Int32(0);
    }

    public MessageBytes End()
    {
        BinaryPrimitives.WriteInt32BigEndian(_bytes.GetBuffer().AsSpan(_start + 1), Length - _start - 1);
        return this;
    }

    /// <summary>A message without a body.</summary>
    public MessageBytes Empty(char type) => Begin(type).End();

    public MessageBytes Byte(byte value) => Raw([value]);

    public MessageBytes Int16(int value)
    {
        Span<byte> bytes = stackalloc byte[sizeof(short)];
        BinaryPrimitives.WriteInt16BigEndian(bytes, (short)value);
        return Raw(bytes);
    }

    public MessageBytes Int32(int value)
    {
        Span<byte> bytes = stackalloc byte[sizeof(int)];
        BinaryPrimitives.WriteInt32BigEndian(bytes, value);
        return Raw(bytes);
    }

    public MessageBytes Int64(long value)
    {
        Span<byte> bytes = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64BigEndian(bytes, value);
        return Raw(bytes);
    }

    /// <summary>Text and the zero byte behind it.</summary>
    public MessageBytes Text(string text) => Raw(Encoding.UTF8.GetBytes(text)).Byte(0);

    public MessageBytes Raw(ReadOnlySpan<byte> bytes)
    {
        _bytes.Write(bytes);
        return this;
    }
}
