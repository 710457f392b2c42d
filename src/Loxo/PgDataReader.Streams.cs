using System.Buffers;
using System.Text;
using Loxo.Protocol;
using Loxo.Protocol.Frontend;
using Loxo.Session;
using Loxo.Types;

namespace Loxo;

// Values as streams and in parts: over the row where it lies, or over one that is still arriving.
public sealed partial class PgDataReader
{
    // For GetChars: how far it has come in which column of which row, so that the next part is not decoded from the start.
    private TextReader? _chars;
    private long _charsVersion;
    private int _charsOrdinal;
    private long _charsTaken;

    /// <summary>
    /// The value's bytes as a stream, without copying them: of bytea what it holds, of text, json and jsonb the UTF-8, of any other type what was sent. It can be read until the reader
    /// moves on; after that it throws.
    /// </summary>
    /// <remarks>
    /// The value has arrived whole and the stream can seek, unless the command was executed with <see cref="System.Data.CommandBehavior.SequentialAccess"/>
    /// and the row is longer than 64 KiB: then the stream reads what arrives, in bounded memory, and cannot seek. Its
    /// <see cref="Stream.Length"/> is known in either case.
    /// </remarks>
    /// <exception cref="InvalidCastException">The value is NULL.</exception>
    /// <exception cref="InvalidOperationException">The column was passed, or was read in part already, in a long row with SequentialAccess.</exception>
    public override Stream GetStream(int ordinal)
    {
        var column = OnRow(ordinal);
        return Stream(column, ordinal, VersionLength(column));
    }

    /// <summary>The same as <see cref="GetStream"/>, awaiting the column's start where it has not arrived.</summary>
    public Task<Stream> GetStreamAsync(int ordinal, CancellationToken cancellationToken = default) => GetFieldValueAsync<Stream>(ordinal, cancellationToken);

    /// <summary>The value's text as a reader that decodes as it is read. It can be read until the reader moves on; after that it throws.</summary>
    /// <remarks>Of a long row with <see cref="System.Data.CommandBehavior.SequentialAccess"/> the text is decoded as it arrives, as by <see cref="GetStream"/>.</remarks>
    /// <exception cref="InvalidCastException">The value is NULL, or its type is not read as text.</exception>
    /// <exception cref="InvalidOperationException">The column was passed, or was read in part already, in a long row with SequentialAccess.</exception>
    public override TextReader GetTextReader(int ordinal)
    {
        var column = OnRow(ordinal);
        return Utf8Start(column, ordinal) is var start and >= 0
            ? new StreamReader(Stream(column, ordinal, start), ColumnText.Encoding, detectEncodingFromByteOrderMarks: false, ColumnText.BufferSize(Length(ordinal)))
            : new StringReader(Get<string>(ordinal));
    }

    /// <summary>The same as <see cref="GetTextReader"/>, awaiting the column's start where it has not arrived.</summary>
    public Task<TextReader> GetTextReaderAsync(int ordinal, CancellationToken cancellationToken = default) =>
        GetFieldValueAsync<TextReader>(ordinal, cancellationToken);

    /// <summary>Copies bytes of the value.</summary>
    /// <param name="ordinal">The column.</param>
    /// <param name="dataOffset">The first byte wanted. In a long row with SequentialAccess it cannot lie before bytes that were copied already.</param>
    /// <param name="buffer">Where they go; null asks for the value's length.</param>
    /// <param name="bufferOffset">Where the first one goes.</param>
    /// <param name="length">The most that are wanted.</param>
    /// <returns>How many were copied, or the value's length in bytes.</returns>
    /// <exception cref="InvalidCastException">The value is NULL.</exception>
    public override long GetBytes(int ordinal, long dataOffset, byte[]? buffer, int bufferOffset, int length)
    {
        var column = OnRow(ordinal);
        if (_rows.IsNull(ordinal))
            throw ReaderErrors.IsNull(column, ordinal, typeof(byte[]));
        if (buffer is null)
            return Length(ordinal) - VersionLength(column);
        ArgumentOutOfRangeException.ThrowIfNegative(dataOffset);
        var target = buffer.AsSpan(bufferOffset, length);
        return _rows.IsInPieces ? CopyArriving(ordinal, dataOffset + VersionLength(column), target) : Copy(Raw(ordinal), dataOffset, target);
    }

    /// <summary>Copies characters of the value. A call that goes on where the last one ended decodes nothing twice.</summary>
    /// <param name="ordinal">The column.</param>
    /// <param name="dataOffset">The first character wanted. In a long row with SequentialAccess it cannot lie before what was copied already.</param>
    /// <param name="buffer">Where they go; null asks for the value's length.</param>
    /// <param name="bufferOffset">Where the first one goes.</param>
    /// <param name="length">The most that are wanted.</param>
    /// <returns>How many were copied, or the value's length in characters.</returns>
    /// <exception cref="InvalidCastException">The value is NULL, or its type is not read as text.</exception>
    public override long GetChars(int ordinal, long dataOffset, char[]? buffer, int bufferOffset, int length)
    {
        var column = OnRow(ordinal);
        if (buffer is null)
            return CountChars(column, ordinal);
        ArgumentOutOfRangeException.ThrowIfNegative(dataOffset);
        if (_chars is null || _charsVersion != _rows.Version || _charsOrdinal != ordinal || dataOffset < _charsTaken)
            StartChars(ordinal);
        SkipChars(dataOffset);
        var count = _charsTaken < dataOffset ? 0 : _chars!.ReadBlock(buffer.AsSpan(bufferOffset, length));
        _charsTaken += count;
        return count;
    }

    private static int Copy(ReadOnlySpan<byte> value, long offset, Span<byte> target)
    {
        var rest = value[(int)Math.Min(offset, value.Length)..];
        var count = Math.Min(rest.Length, target.Length);
        rest[..count].CopyTo(target);
        return count;
    }

    // Where the text starts in a value that is UTF-8 itself; -1 where it has to be made from something else.
    private static int Utf8Start(ResultColumn column, int ordinal) => (column.LastCodec as Codec<string> ?? Find<string>(column, ordinal)) switch
    {
        StringCodec => 0,
        VersionedReferenceCodec<string> => 1,
        _ => -1,
    };

    private ColumnStream Stream(ResultColumn column, int ordinal, int skip)
    {
        if (_rows.IsNull(ordinal))
            throw ReaderErrors.IsNull(column, ordinal, typeof(Stream));
        if (!_rows.IsInPieces)
        {
            CheckVersion(column, ordinal, _rows.TryGet(ordinal, out var value) ? value : default, skip);
            return new BufferedColumnStream(_rows, ordinal, skip);
        }
        var row = _rows.Part;
        if (row.Left != row.Length)
            throw SessionErrors.ColumnTakenInPart(ordinal);
        if (skip > 0)
        {
            Arrive(ordinal, Reach.More);
            CheckVersion(column, ordinal, row.Arrived, skip);
            row.Take(skip);
        }
        return new ArrivingColumnStream(_exchange, ordinal, _owner.TimeoutMilliseconds);
    }

    private static void CheckVersion(ResultColumn column, int ordinal, ReadOnlySpan<byte> value, int skip)
    {
        if (skip == 0)
            return;
        try
        {
            VersionedText.Open(value, column.Type!.DisplayName);
        }
        catch (PgException e)
        {
            throw ReaderErrors.CannotRead(column, ordinal, e);
        }
    }

    // Of a column that is not NULL; without waiting for more than its start.
    private int Length(int ordinal)
    {
        if (!_rows.IsInPieces)
            return _rows.Place(ordinal).Length;
        Arrive(ordinal, Reach.Start);
        return _rows.Part.Length;
    }

    private void Arrive(int ordinal, Reach reach)
    {
        if (!_rows.Part.TryReach(ordinal, reach))
            Pump();
    }

    private int CopyArriving(int ordinal, long offset, Span<byte> target)
    {
        var row = _rows.Part;
        if (row.Length - row.Left > offset)
            throw SessionErrors.ColumnTakenInPart(ordinal);
        var copied = 0;
        while (row.Left > 0 && copied < target.Length)
        {
            Arrive(ordinal, Reach.More);
            var arrived = row.Arrived;
            var skip = (int)Math.Min(arrived.Length, offset + copied - (row.Length - row.Left));
            row.Take(skip);
            arrived = arrived[skip..];
            var count = Math.Min(arrived.Length, target.Length - copied);
            arrived[..count].CopyTo(target[copied..]);
            row.Take(count);
            copied += count;
        }
        return copied;
    }

    private long CountChars(ResultColumn column, int ordinal)
    {
        if (_rows.IsNull(ordinal))
            throw ReaderErrors.IsNull(column, ordinal, typeof(string));
        if (Utf8Start(column, ordinal) is not (var start and >= 0) || !_rows.TryGet(ordinal, out var value))
            return Get<string>(ordinal).Length;
        try
        {
            CheckVersion(column, ordinal, value, start);
            return MessageWriter.StrictUtf8.GetCharCount(value[start..]);
        }
        catch (DecoderFallbackException e)
        {
            throw ReaderErrors.CannotRead(column, ordinal, ColumnText.NotUtf8(e));
        }
    }

    private void StartChars(int ordinal)
    {
        _chars = GetTextReader(ordinal);
        (_charsVersion, _charsOrdinal, _charsTaken) = (_rows.Version, ordinal, 0);
    }

    private void SkipChars(long offset)
    {
        Span<char> passed = stackalloc char[256];
        while (_charsTaken < offset)
        {
            var count = _chars!.ReadBlock(passed[..(int)Math.Min(passed.Length, offset - _charsTaken)]);
            if (count == 0)
                return;
            _charsTaken += count;
        }
    }

    private ReadOnlySequence<byte> Sequence(int ordinal)
    {
        var column = OnRow(ordinal);
        var (start, length) = _rows.Place(ordinal);
        return length >= 0 ? new(_rows.Buffer, start, length) : throw ReaderErrors.IsNull(column, ordinal, typeof(ReadOnlySequence<byte>));
    }

    // Whether a value can be had without waiting: all but those of a row that is still arriving.
    private bool IsThere(int ordinal, Reach reach)
    {
        if (!_rows.IsInPieces)
            return true;
        OnRow(ordinal);
        return _rows.Part.TryReach(ordinal, reach);
    }

    private async Task<T> GetArrivingAsync<T>(int ordinal, CancellationToken token)
    {
        await PumpAsync(token).ConfigureAwait(false);
        // The version byte of a text that has one.
        if (typeof(T) == typeof(TextReader) && !IsThere(ordinal, Reach.More))
            await PumpAsync(token).ConfigureAwait(false);
        return GetFieldValue<T>(ordinal);
    }

    private async Task<bool> IsNullArrivingAsync(int ordinal, CancellationToken token)
    {
        await PumpAsync(token).ConfigureAwait(false);
        return _rows.IsNull(ordinal);
    }

    private static Reach ReachFor<T>() =>
        typeof(T) == typeof(Stream) ? Reach.Start : typeof(T) == typeof(TextReader) ? Reach.More : Reach.All;
}
