using System.Buffers;
using System.Buffers.Binary;

namespace Loxo.Protocol.Backend;

/// <summary>Bytes from the server, cut into messages, which are valid until <see cref="FreeSpace"/> is called again.</summary>
internal sealed class MessageReader(int initialSize = MessageReader.InitialSize) : IDisposable
{
    /// <summary>The server sends in blocks of this size (PQ_SEND_BUFFER_SIZE, pqcomm.c); a larger receive rarely returns more.</summary>
    public const int InitialSize = 8192;

    /// <summary>PostgreSQL itself cannot send a longer message: its own buffers end at 1 GiB (MaxAllocSize, memutils.h).</summary>
    public const int DefaultMaxMessage = 0x3fffffff;

    private byte[] _buffer = new byte[initialSize];
    private int _start;
    private int _end;
    private bool _rented;
    private int _rowLeft;
    private long _rows;

    /// <summary>A row that is longer is worth to be read in pieces; a shorter one fits into what a session keeps anyway.</summary>
    public const int LongRow = KeptSize;

    /// <summary>The longest body accepted, in bytes; small before authentication.</summary>
    public int MaxMessage { get; set; } = DefaultMaxMessage;

    public int Buffered => _end - _start;

    /// <summary>The buffer that <see cref="TryTakeRow"/> positions refer to.</summary>
    public byte[] Buffer => _buffer;

    /// <summary>The next message, if it has arrived whole; it stays where it is.</summary>
    public bool TryPeek(out BackendMessage message)
    {
        message = default;
        if (_rowLeft > 0)
            TakeOfRow(OfRow.Length);
        var buffered = Unread;
        if (_rowLeft > 0 || buffered.Length < BackendMessage.HeaderSize)
            return false;
        var length = CheckedLength(BinaryPrimitives.ReadInt32BigEndian(buffered[1..]), buffered[0]);
        if (buffered.Length <= length)
            return false;
        message = new BackendMessage((BackendMessageType)buffered[0], buffered[BackendMessage.HeaderSize..(length + 1)]);
        return true;
    }

    public void Consume(BackendMessage message)
    {
        _start += message.Body.Length + BackendMessage.HeaderSize;
        if (message.Type == BackendMessageType.DataRow)
            _rows++;
    }

    /// <summary>How many DataRow messages were taken since the last call, and counts from 0 again.</summary>
    public long TakeRowCount()
    {
        var rows = _rows;
        _rows = 0;
        return rows;
    }

    /// <summary>Takes the next message if it is a whole DataRow: where its body starts and ends in <see cref="Buffer"/>.</summary>
    public bool TryTakeRow(out int start, out int end)
    {
        var at = _start;
        if (_rowLeft == 0 && _end - at >= BackendMessage.HeaderSize && _buffer[at] == (byte)BackendMessageType.DataRow)
        {
            var length = CheckedLength(BinaryPrimitives.ReadInt32BigEndian(_buffer.AsSpan(at + 1)), _buffer[at]);
            if (_end - at > length)
            {
                start = at + BackendMessage.HeaderSize;
                _start = end = at + length + 1;
                _rows++;
                return true;
            }
        }
        start = end = 0;
        return false;
    }

    /// <summary>Takes the next message if it is a whole CopyData: where its body starts and ends in <see cref="Buffer"/>.</summary>
    public bool TryTakeCopyData(out int start, out int end)
    {
        var at = _start;
        if (_rowLeft == 0 && _end - at >= BackendMessage.HeaderSize && _buffer[at] == (byte)BackendMessageType.CopyData)
        {
            var length = CheckedLength(BinaryPrimitives.ReadInt32BigEndian(_buffer.AsSpan(at + 1)), _buffer[at]);
            if (_end - at > length)
            {
                start = at + BackendMessage.HeaderSize;
                _start = end = at + length + 1;
                return true;
            }
        }
        start = end = 0;
        return false;
    }

    /// <summary>
    /// Enters the next message if it is a CopyData, arrived whole or not: <see cref="OfRow"/> shows what has arrived of it.
    /// </summary>
    public bool TryEnterCopyData()
    {
        if (_rowLeft > 0 || Buffered < BackendMessage.HeaderSize || _buffer[_start] != (byte)BackendMessageType.CopyData)
            return false;
        _rowLeft = CheckedLength(BinaryPrimitives.ReadInt32BigEndian(_buffer.AsSpan(_start + 1)), _buffer[_start]) - sizeof(int);
        _start += BackendMessage.HeaderSize;
        return true;
    }

    /// <summary>Whether a DataRow longer than <see cref="LongRow"/> is next of which a part has arrived, with its column count.</summary>
    public bool IsAtLongRow
    {
        get
        {
            var buffered = Unread;
            if (_rowLeft > 0 || buffered.Length < BackendMessage.HeaderSize + sizeof(short)
                || buffered[0] != (byte)BackendMessageType.DataRow)
                return false;
            var length = CheckedLength(BinaryPrimitives.ReadInt32BigEndian(buffered[1..]), buffered[0]);
            return length > LongRow && buffered.Length <= length;
        }
    }

    /// <summary>Enters the row that <see cref="IsAtLongRow"/> has seen; reading the next message skips what is not taken of it.</summary>
    public void EnterRow()
    {
        _rowLeft = BinaryPrimitives.ReadInt32BigEndian(_buffer.AsSpan(_start + 1)) - sizeof(int);
        _start += BackendMessage.HeaderSize;
        _rows++;
    }

    /// <summary>Bytes of the row that was entered which have not been taken, arrived or not.</summary>
    public int RowLeft => _rowLeft;

    /// <summary>The bytes of the row that have arrived and were not taken, in place.</summary>
    public ReadOnlySpan<byte> OfRow => _buffer.AsSpan(_start, Math.Min(_end - _start, _rowLeft));

    public int RowPosition => _start;

    public void TakeOfRow(int count)
    {
        _start += count;
        _rowLeft -= count;
    }

    /// <summary>One byte that is not a message: the answer to SSLRequest.</summary>
    public bool TryTakeByte(out byte value)
    {
        value = 0;
        if (_start == _end)
            return false;
        value = _buffer[_start++];
        return true;
    }

    /// <summary>Bytes behind their number, which are no message: a token of GSSAPI encryption.</summary>
    /// <param name="atMost">More are refused.</param>
    /// <param name="value">The bytes.</param>
    public bool TryTakeCounted(int atMost, [NotNullWhen(true)] out byte[]? value)
    {
        value = null;
        if (Buffered < sizeof(int))
            return false;
        var length = BinaryPrimitives.ReadInt32BigEndian(Unread);
        if (length < 0 || length > atMost)
            throw ProtocolErrors.ImpossibleToken(length, atMost);
        if (Buffered - sizeof(int) < length)
            return false;
        value = Unread.Slice(sizeof(int), length).ToArray();
        _start += sizeof(int) + length;
        return true;
    }

    public ReadOnlySpan<byte> Unread => _buffer.AsSpan(_start, _end - _start);

    /// <summary>How many messages of that type have arrived whole and are not consumed.</summary>
    public int CountOf(BackendMessageType type)
    {
        var count = 0;
        for (var rest = Unread[Math.Min(_rowLeft, Buffered)..]; rest.Length > sizeof(int);)
        {
            var length = BinaryPrimitives.ReadInt32BigEndian(rest[1..]);
            if (length < sizeof(int) || rest.Length <= length)
                break;
            count += rest[0] == (byte)type ? 1 : 0;
            rest = rest[(length + 1)..];
        }
        return count;
    }

    /// <summary>Takes out the next <paramref name="count"/> bytes: whole messages that have arrived and are not consumed.</summary>
    public byte[] TakeUnread(int count)
    {
        var messages = Unread[..count].ToArray();
        _start += count;
        return messages;
    }

    /// <summary>Puts whole messages in front of what has arrived since they were taken out.</summary>
    public void PutBack(ReadOnlySpan<byte> messages)
    {
        var whole = ArrayPool<byte>.Shared.Rent(Math.Max(messages.Length + Buffered, _buffer.Length));
        messages.CopyTo(whole);
        Unread.CopyTo(whole.AsSpan(messages.Length));
        _end = messages.Length + Buffered;
        _start = 0;
        Replace(whole, rented: true);
    }

    /// <summary>Appends messages that have arrived elsewhere.</summary>
    public void Append(ReadOnlySpan<byte> messages)
    {
        while (!messages.IsEmpty)
        {
            var room = FreeSpace().Span;
            var count = Math.Min(room.Length, messages.Length);
            messages[..count].CopyTo(room);
            Arrived(count);
            messages = messages[count..];
        }
    }

    /// <summary>Room for what arrives next. The buffer doubles only when it is full: a hostile length alone costs no memory.</summary>
    public Memory<byte> FreeSpace()
    {
        // A full buffer mostly means that more is on its way. With room for more, a result of 80 kB takes 3 receives instead of 10.
        var isFilled = _end == _buffer.Length && _end < KeptSize;
        if (_start == _end)
            _start = _end = 0;
        if (_start > 0 && _buffer.Length - _end < _buffer.Length / 2)
        {
            System.Buffer.BlockCopy(_buffer, _start, _buffer, 0, _end - _start);
            _end -= _start;
            _start = 0;
        }
        if (isFilled || _end == _buffer.Length)
            Grow();
        return _buffer.AsMemory(_end);
    }

    public void Arrived(int count) => _end += count;

    /// <summary>Drops everything, and gives the memory of large messages back.</summary>
    public void Clear()
    {
        _start = _end = _rowLeft = 0;
        _rows = 0;
        Shrink();
    }

    /// <summary>Goes on in other memory: a thread may still read a value in the present one, which is never used again.</summary>
    public void LeaveBuffer()
    {
        var unread = Unread;
        var buffer = new byte[Math.Max(initialSize, unread.Length)];
        unread.CopyTo(buffer);
        (_buffer, _rented, _start, _end) = (buffer, false, 0, unread.Length);
    }

    /// <summary>Gives the memory of a large message back; call only between exchanges.</summary>
    public void Shrink()
    {
        if (!_rented || _buffer.Length <= Math.Max(KeptSize, initialSize) || _start != _end)
            return;
        Replace(new byte[initialSize], rented: false);
        _start = _end = 0;
    }

    public void Dispose()
    {
        _rowLeft = 0;
        if (_rented)
            Replace([], rented: false);
        _start = _end = 0;
    }

    // Kept between commands: growing again for every result with moderately large rows would cost more than it saves.
    private const int KeptSize = 64 * 1024;

    private void Grow()
    {
        var larger = ArrayPool<byte>.Shared.Rent((int)Math.Min(Array.MaxLength, _buffer.Length * 2L));
        System.Buffer.BlockCopy(_buffer, 0, larger, 0, _end);
        Replace(larger, rented: true);
    }

    private void Replace(byte[] buffer, bool rented)
    {
        if (_rented)
            ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = buffer;
        _rented = rented;
    }

    private int CheckedLength(int length, byte type)
    {
        if ((uint)(length - 4) > (uint)MaxMessage)
            throw ProtocolErrors.ImpossibleLength(type, length, MaxMessage);
        return length;
    }
}
