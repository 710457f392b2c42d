using System.Buffers;
using System.Buffers.Binary;
using System.Text;
using Loxo.Protocol;
using Loxo.Protocol.Frontend;

namespace Loxo;

/// <summary>
/// Where a <see cref="Codec{T}"/> writes a value: the bytes go straight into what is sent to the server. Numbers are written in network
/// byte order. As an <see cref="IBufferWriter{T}"/> it serves whatever writes to one, a <c>Utf8JsonWriter</c> for instance.
/// </summary>
/// <remarks>Use it only within <see cref="Codec{T}.Write"/>, and only for the value that is to be written there.</remarks>
public sealed class MessageWriter : IBufferWriter<byte>
{
    // Messages on their way to the server: one buffer that grows, written in one pass. The length of a message or value is patched when
    // it ends, so nothing is measured beforehand.

    /// <summary>A small query fits; the server reads in blocks of this size too (PQ_RECV_BUFFER_SIZE, pqcomm.c).</summary>
    internal const int InitialSize = 8192;

    private readonly int _initialSize;
    private byte[] _buffer;
    private int _start;
    private int _end;
    private int _messageStart = -1;
    private long _consumed;

    internal MessageWriter(int initialSize = InitialSize)
    {
        _initialSize = initialSize;
        _buffer = new byte[initialSize];
    }

    /// <summary>Bytes of finished messages that have not been taken by <see cref="Consume"/>.</summary>
    internal ReadOnlySpan<byte> Pending => _buffer.AsSpan(_start, _end - _start);

    /// <inheritdoc cref="Pending"/>
    internal ReadOnlyMemory<byte> PendingMemory => _buffer.AsMemory(_start, _end - _start);

    /// <summary>Whether nothing waits to be sent.</summary>
    internal bool IsEmpty => _start == _end;

    /// <summary>How many bytes have been written so far in all, sent or not.</summary>
    internal long Position => _consumed + _end;

    /// <summary>Starts a message that has a type byte.</summary>
    internal void Begin(FrontendMessage type)
    {
        var head = Reserve(5);
        head[0] = (byte)type;
        _messageStart = _end - 4;
    }

    /// <summary>Starts a message without a type byte: StartupMessage, SSLRequest, CancelRequest.</summary>
    internal void BeginUntyped()
    {
        Reserve(4);
        _messageStart = _end - 4;
    }

    /// <summary>Ends the message: its length becomes known.</summary>
    internal void End()
    {
        BinaryPrimitives.WriteInt32BigEndian(_buffer.AsSpan(_messageStart), _end - _messageStart);
        _messageStart = -1;
    }

    /// <summary>Takes back everything written since <paramref name="position"/>, unless it has been sent.</summary>
    internal void Rewind(long position)
    {
        var end = position - _consumed;
        if (end < _start || end > _end)
            throw new InvalidOperationException("The bytes to take back have been sent already.");
        _end = (int)end;
        _messageStart = -1;
    }

    /// <summary>Starts a value: its length goes in front of it and is known at <see cref="EndValue"/>.</summary>
    internal int BeginValue()
    {
        Reserve(4);
        return _end;
    }

    /// <summary>Ends the value that began at <paramref name="start"/>, the result of <see cref="BeginValue"/>.</summary>
    internal void EndValue(int start) => BinaryPrimitives.WriteInt32BigEndian(_buffer.AsSpan(start - 4), _end - start);

    /// <summary>The length that stands for NULL (manual, Bind).</summary>
    internal void WriteNullValue() => WriteInt32(-1);

    /// <summary>Room for <paramref name="count"/> bytes, to be filled by the caller at once.</summary>
    public Span<byte> Reserve(int count)
    {
        var end = _end;
        if (_buffer.Length - end < count)
        {
            Grow(count);
            end = _end;
        }
        _end = end + count;
        return _buffer.AsSpan(end, count);
    }

    /// <summary>One byte.</summary>
    public void WriteByte(byte value) => Reserve(1)[0] = value;

    /// <summary>2 bytes.</summary>
    public void WriteInt16(short value) => BinaryPrimitives.WriteInt16BigEndian(Reserve(2), value);

    /// <summary>4 bytes.</summary>
    public void WriteInt32(int value) => BinaryPrimitives.WriteInt32BigEndian(Reserve(4), value);

    /// <summary>4 bytes.</summary>
    public void WriteUInt32(uint value) => BinaryPrimitives.WriteUInt32BigEndian(Reserve(4), value);

    /// <summary>8 bytes.</summary>
    public void WriteInt64(long value) => BinaryPrimitives.WriteInt64BigEndian(Reserve(8), value);

    /// <summary>8 bytes.</summary>
    public void WriteUInt64(ulong value) => BinaryPrimitives.WriteUInt64BigEndian(Reserve(8), value);

    /// <summary>4 bytes.</summary>
    public void WriteSingle(float value) => BinaryPrimitives.WriteSingleBigEndian(Reserve(4), value);

    /// <summary>8 bytes.</summary>
    public void WriteDouble(double value) => BinaryPrimitives.WriteDoubleBigEndian(Reserve(8), value);

    /// <summary>A count of at most 65,535: the protocol's Int16 read as unsigned, as the server does (postgres.c).</summary>
    internal void WriteCount(int count) => BinaryPrimitives.WriteUInt16BigEndian(Reserve(2), checked((ushort)count));

    /// <summary>Bytes as they are.</summary>
    public void WriteBytes(ReadOnlySpan<byte> bytes) => bytes.CopyTo(Reserve(bytes.Length));

    /// <summary>Text in UTF-8 without a terminator. A lone surrogate has no UTF-8 form and is refused.</summary>
    /// <exception cref="EncoderFallbackException">The text holds a lone surrogate.</exception>
    public void WriteText(ReadOnlySpan<char> text)
    {
        // Three bytes for each UTF-16 unit is the most that UTF-8 needs; beyond that size counting first saves memory.
        var atMost = text.Length <= 4096 ? text.Length * 3 : StrictUtf8.GetByteCount(text);
        var room = Reserve(atMost);
        _end -= atMost - StrictUtf8.GetBytes(text, room);
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _buffer.Length - _end);
        _end += count;
    }

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Room(sizeHint);
        return _buffer.AsMemory(_end);
    }

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        Room(sizeHint);
        return _buffer.AsSpan(_end);
    }

    /// <summary>A zero-terminated string.</summary>
    /// <exception cref="PgException">The text holds a NUL character, which would end it early.</exception>
    internal void WriteCString(ReadOnlySpan<char> text)
    {
        if (text.Contains('\0'))
            throw ProtocolErrors.NulInText();
        WriteText(text);
        WriteByte(0);
    }

    /// <summary>Marks the first <paramref name="count"/> pending bytes as sent.</summary>
    internal void Consume(int count)
    {
        _start += count;
        if (_start != _end)
            return;
        _consumed += _end;
        _start = 0;
        _end = 0;
    }

    /// <summary>Gives the memory of a large message back; call only while nothing is pending.</summary>
    internal void Shrink()
    {
        if (_buffer.Length > Math.Max(KeptSize, _initialSize) && IsEmpty)
            _buffer = new byte[_initialSize];
    }

    // Kept between commands: growing again for every moderately large parameter would cost more than it saves.
    private const int KeptSize = 64 * 1024;

    internal static readonly UTF8Encoding StrictUtf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    private void Room(int count)
    {
        count = Math.Max(count, 1);
        if (_buffer.Length - _end < count)
            Grow(count);
    }

    private void Grow(int count)
    {
        var needed = (long)_end + count;
        if (needed > Array.MaxLength)
            throw ProtocolErrors.MessageTooLarge(needed);
        var size = (int)Math.Min(Array.MaxLength, Math.Max(needed, _buffer.Length * 2L));
        Array.Resize(ref _buffer, size);
    }
}
