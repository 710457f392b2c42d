using System.Buffers;
using System.Buffers.Binary;
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
    // One buffer that grows, written in one pass; lengths are patched when a message or value ends.

    /// <summary>A small query fits; the server reads in blocks of this size too (PQ_RECV_BUFFER_SIZE, pqcomm.c).</summary>
    internal const int InitialSize = 8192;

    private readonly int _initialSize;
    private readonly int _mostInMessage;
    private byte[] _buffer;
    private int _start;
    private int _end;
    private int _messageStart = -1;
    private long _consumed;
    // Null unless a value is streamed, so that all others pay one test for it.
    private SourceQueue? _sources;
    private long _streamed;

    internal MessageWriter(int initialSize = InitialSize, int mostInMessage = MostInMessage)
    {
        _initialSize = initialSize;
        _mostInMessage = mostInMessage;
        _buffer = new byte[initialSize];
    }

    /// <summary>
    /// Bytes of finished messages to be taken by <see cref="Consume"/>; nothing while <see cref="IsStarved"/>, or behind
    /// <see cref="HoldAt"/>.
    /// </summary>
    internal ReadOnlySpan<byte> Pending => _sources is null ? _buffer.AsSpan(_start, BeforeHold(_end) - _start) : BeforeSource().Span;

    internal ReadOnlyMemory<byte> PendingMemory =>
        _sources is null ? _buffer.AsMemory(_start, BeforeHold(_end) - _start) : BeforeSource();

    /// <summary>The number of bytes that have been written and not sent.</summary>
    internal int PendingLength => _end - _start;

    internal bool IsEmpty => _start == _end && !HasSources;

    /// <summary>Whether a value is streamed: some bytes come from elsewhere.</summary>
    internal bool HasSources => _sources is not null;

    /// <summary>Whether something may be sent now.</summary>
    internal bool MaySend => !IsEmpty && !IsHeld;

    /// <summary>Whether what is to be sent next must be pulled from <see cref="Source"/> first.</summary>
    internal bool IsStarved => _sources is not null && !IsHeld && BeforeSource().IsEmpty;

    /// <summary>
    /// Nothing from that position on is sent for now; <see cref="long.MaxValue"/>, the initial value, holds nothing back.
    /// </summary>
    internal long HoldAt { private get; set; } = long.MaxValue;

    private bool IsHeld => HoldAt == SentPosition;

    /// <summary>How many bytes have been written so far in all, sent or not.</summary>
    internal long Position => _consumed + _end;

    /// <summary>How many of these bytes have been taken by <see cref="Consume"/> or dropped by <see cref="Clear"/>.</summary>
    internal long SentPosition => _consumed + _start;

    internal void Begin(FrontendMessage type)
    {
        var head = Reserve(5);
        head[0] = (byte)type;
        _messageStart = _end - 4;
        _streamed = 0;
    }

    /// <summary>Starts a message without a type byte: StartupMessage, SSLRequest, CancelRequest.</summary>
    internal void BeginUntyped()
    {
        Reserve(4);
        _messageStart = _end - 4;
        _streamed = 0;
    }

    /// <summary>Ends the message: its length becomes known.</summary>
    internal void End()
    {
        BinaryPrimitives.WriteInt32BigEndian(_buffer.AsSpan(_messageStart), Checked(_end - _messageStart + _streamed));
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
        _sources?.RemoveFrom(position);
        DropEmptyQueue();
    }

    /// <summary>Takes back the bytes written since <paramref name="position"/> that have not been sent.</summary>
    internal void TakeBack(long position) => Rewind(Math.Max(position, _consumed + _start));

    /// <summary>Starts a value: its length goes in front of it and is known when it ends.</summary>
    /// <returns>The low bits of its position: what is in front of it may be left behind meanwhile.</returns>
    internal int BeginValue()
    {
        Reserve(4);
        return unchecked((int)Position);
    }

    /// <summary>Ends the value that began at <paramref name="start"/>. A message that is too long is blamed on its last value.</summary>
    internal void EndValue(int start)
    {
        CheckFits(0);
        var length = LengthFrom(start);
        BinaryPrimitives.WriteInt32BigEndian(_buffer.AsSpan(_end - length - 4), length);
    }

    /// <summary>Ends a value whose rest is pulled from <paramref name="source"/> when it is sent.</summary>
    internal void EndValue(int start, OutputSource source)
    {
        var (prefix, length) = (LengthFrom(start), Math.Max(source.Length, 0));
        CheckFits(length);
        BinaryPrimitives.WriteInt32BigEndian(_buffer.AsSpan(_end - prefix - 4), Checked(prefix + length));
        _streamed += length;
        _sources ??= new SourceQueue();
        _sources.Add(new(Position, Position - prefix - 4, _consumed + _messageStart, source));
    }

    /// <summary>Takes back the value that began at <paramref name="start"/>; its message goes on.</summary>
    internal void CutValue(int start) => _end -= LengthFrom(start) + 4;

    /// <summary>Takes back what was written of a message since <paramref name="position"/>; the message goes on.</summary>
    internal void CutTo(long position) => _end = (int)(position - _consumed);

    internal OutputSource[] Sources => _sources is null ? [] : [.. _sources.Sources];

    /// <summary>The first source whose length has to be found out before anything is sent; null when there is none.</summary>
    internal OutputSource? Unmeasured => _sources?.Unmeasured;

    internal void Measured(OutputSource source)
    {
        var place = _sources!.MeasuredPlace;
        AddTo(place.Message, source.Length);
        AddTo(place.Value, source.Length);
    }

    internal OutputSource Source => _sources!.First;
    internal Memory<byte> SourceRoom => _sources!.Room();
    internal void Pulled(int count) => _sources!.Pulled(count);

    /// <summary>Nothing more can be sent: everything that waits is dropped, and its sources are released.</summary>
    internal void Clear()
    {
        _sources?.Clear();
        _sources = null;
        HoldAt = long.MaxValue;
        _consumed += _end;
        _start = _end = 0;
    }

    /// <summary>The length that stands for NULL (manual, Bind).</summary>
    internal void WriteNullValue() => WriteInt32(-1);

    /// <summary>Room for <paramref name="count"/> bytes, to be filled by the caller at once.</summary>
    public Span<byte> Reserve(int count)
    {
        var end = _end;
        if (_buffer.Length - end < count)
        {
            MakeRoom(count);
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
    /// <exception cref="PgException">The message would become longer than the server accepts.</exception>
    public void WriteText(ReadOnlySpan<char> text)
    {
        // Three bytes for each UTF-16 unit is the most that UTF-8 needs; beyond that size counting first saves memory.
        var isShort = text.Length <= ShortText && text.Length * 3 <= _buffer.Length - _end;
        var atMost = isShort ? text.Length * 3 : Measured(text);
        var room = Reserve(atMost);
        _end -= atMost - StrictUtf8.GetBytes(text, room);
    }

    /// <summary>
    /// Writes a short text that is ASCII without NUL, as most is: narrowing it is cheaper than encoding it. False, and nothing is written,
    /// for any other.
    /// </summary>
    internal bool TryWriteAscii(ReadOnlySpan<char> text)
    {
        if (text.Length > ShortText)
            return false;
        var room = Reserve(text.Length);
        if (Ascii.FromUtf16(text, room, out _) == OperationStatus.Done && !room.Contains((byte)0))
            return true;
        _end -= text.Length;
        return false;
    }

    /// <summary>In bytes of UTF-8; that of two billion characters does not fit an int.</summary>
    internal static long LengthOf(ReadOnlySpan<char> text)
    {
        long length = 0;
        while (text.Length > LongText)
        {
            var count = char.IsHighSurrogate(text[LongText - 1]) ? LongText - 1 : LongText;
            length += StrictUtf8.GetByteCount(text[..count]);
            text = text[count..];
        }
        return length + StrictUtf8.GetByteCount(text);
    }

    internal void MakeRoom(long count)
    {
        CheckFits(count);
        if (_buffer.Length - _end < count)
            Grow(count);
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _buffer.Length - _end);
        CheckFits(count);
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

    internal void Consume(int count)
    {
        if (_sources is { Piece.IsEmpty: false })
        {
            _sources.Consume(count);
            DropEmptyQueue();
            return;
        }
        _start += count;
        if (_start != _end)
            return;
        _consumed += _end;
        _start = _end = 0;
    }

    /// <summary>Gives the memory of a large message back; call only while nothing is pending.</summary>
    internal void Shrink()
    {
        if (_buffer.Length > Math.Max(KeptSize, _initialSize) && IsEmpty)
            _buffer = new byte[_initialSize];
    }

    // In UTF-16 units.
    private const int ShortText = 4096;

    // Kept between commands: growing again for every moderately large parameter would cost more than it saves.
    private const int KeptSize = 64 * 1024;

    /// <summary>PQ_LARGE_MESSAGE_LIMIT (libpq.h), type byte excluded: the server closes the connection when a longer one comes.</summary>
    internal const int MostInMessage = 0x3fffffff - 1;

    // From here on a buffer grows by a quarter: doubling it would need three times the memory of its content.
    private const int LargeBuffer = 16 * 1024 * 1024;

    // Room behind a large value for the rest of its message and the messages that follow, so that the buffer does not grow for them.
    private const int Slack = 16 * 1024;

    // The UTF-8 length of so many characters, at three bytes each, fits an int.
    private const int LongText = 512 * 1024 * 1024;

    internal static readonly UTF8Encoding StrictUtf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    private void Room(int count)
    {
        count = Math.Max(count, 1);
        if (_buffer.Length - _end < count)
            Grow(count);
    }

    // A source that turned out to be empty is passed here.
    private ReadOnlyMemory<byte> BeforeSource()
    {
        if (_sources is { Piece.IsEmpty: false })
            return _sources.Piece;
        _sources!.RemoveFinished();
        DropEmptyQueue();
        var end = _sources is null ? _end : (int)(_sources.Next - _consumed);
        return _buffer.AsMemory(_start, BeforeHold(end) - _start);
    }

    private int LengthFrom(int start) => unchecked((int)Position - start);

    private int BeforeHold(int end) => (int)Math.Min(end, HoldAt - _consumed);

    private void DropEmptyQueue()
    {
        if (_sources is { IsEmpty: true })
            _sources = null;
    }

    private void AddTo(long position, long length)
    {
        var field = _buffer.AsSpan((int)(position - _consumed));
        BinaryPrimitives.WriteInt32BigEndian(field, Checked(BinaryPrimitives.ReadInt32BigEndian(field) + length));
    }

    // More characters than a message has bytes need not be counted.
    private int Measured(ReadOnlySpan<char> text)
    {
        CheckFits(text.Length);
        var length = LengthOf(text);
        CheckFits(length);
        return checked((int)length);
    }

    // Bytes written outside a message go into one later.
    private void CheckFits(long count)
    {
        if (_messageStart >= 0)
            Checked(_end - _messageStart + _streamed + count);
    }

    private int Checked(long length) =>
        length <= _mostInMessage ? (int)length : throw ProtocolErrors.MessageTooLarge(length, _mostInMessage);

    private void Grow(long count)
    {
        // What was sent is left behind if it is the greater part: output that never drains must not grow for it.
        var sent = _start > _buffer.Length / 2 ? _start : 0;
        var needed = _end - sent + count;
        if (needed > Array.MaxLength)
            throw ProtocolErrors.OutputTooLarge(needed);
        var roomy = sent > 0 && _buffer.Length >= KeptSize ? _buffer.Length
            : _buffer.Length < LargeBuffer ? _buffer.Length * 2L : _buffer.Length + (_buffer.Length / 4L);
        var size = (int)Math.Min(Array.MaxLength, Math.Max(count < KeptSize ? needed : needed + Slack, roomy));
        // Not filled with zeros, which would touch memory that may never be needed. Never the same one, which may be being sent.
        var larger = GC.AllocateUninitializedArray<byte>(size);
        _buffer.AsSpan(sent, _end - sent).CopyTo(larger);
        _buffer = larger;
        (_start, _end, _consumed) = (_start - sent, _end - sent, _consumed + sent);
        _messageStart -= _messageStart < 0 ? 0 : sent;
    }
}
