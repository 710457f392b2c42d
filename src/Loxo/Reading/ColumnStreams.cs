using Loxo.Session;

namespace Loxo.Reading;

/// <summary>Large values of a reader's row: over the bytes that have arrived, or over those of a row that is still arriving.</summary>
internal static class ColumnStreams
{
    /// <summary>The value as a stream, without the version in front of it, which is checked.</summary>
    public static ColumnStream Open(in ResultCursor cursor, ResultColumn column, int ordinal, int versionLength)
    {
        var rows = cursor.Rows;
        if (rows.IsNull(ordinal))
            throw ReaderErrors.IsNull(column, ordinal, typeof(Stream));
        if (!rows.IsInPieces)
        {
            ColumnValues.Content(column, ordinal, rows.TryGet(ordinal, out var value) ? value : default, versionLength);
            return new BufferedColumnStream(rows, ordinal, versionLength);
        }
        var row = rows.Part;
        if (row.Left != row.Length)
            throw SessionErrors.ColumnTakenInPart(ordinal);
        if (versionLength > 0)
        {
            Arrive(cursor, ordinal, Reach.More);
            ColumnValues.Content(column, ordinal, row.Arrived, versionLength);
            row.Take(versionLength);
        }
        return new ArrivingColumnStream(cursor.Exchange, ordinal, cursor.Owner.TimeoutMilliseconds);
    }

    /// <summary>The text of a value that is UTF-8 itself, decoded as it is read; null of any other.</summary>
    public static TextReader? OpenText(in ResultCursor cursor, ResultColumn column, int ordinal)
    {
        if (cursor.Rows.IsNull(ordinal))
            throw ReaderErrors.IsNull(column, ordinal, typeof(TextReader));
        return ColumnValues.Utf8Start(column, ordinal) is var start and >= 0
            ? new StreamReader(Open(cursor, column, ordinal, start), ColumnText.Encoding, detectEncodingFromByteOrderMarks: false,
                ColumnText.BufferSize(LengthOf(cursor, ordinal)))
            : null;
    }

    /// <summary>The length in bytes of a value that is not NULL, without waiting for more than its start.</summary>
    public static int LengthOf(in ResultCursor cursor, int ordinal)
    {
        if (!cursor.Rows.IsInPieces)
            return cursor.Rows.Place(ordinal).Length;
        Arrive(cursor, ordinal, Reach.Start);
        return cursor.Rows.Part.Length;
    }

    /// <summary>The part of the caller's buffer to fill.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The offset or the length is negative, or they reach beyond the buffer.</exception>
    public static Span<T> Target<T>(T[] buffer, int bufferOffset, int length)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bufferOffset);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(bufferOffset, buffer.Length);
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(length, buffer.Length - bufferOffset);
        return buffer.AsSpan(bufferOffset, length);
    }

    public static int CopyArriving(in ResultCursor cursor, int ordinal, long offset, Span<byte> target)
    {
        var row = cursor.Rows.Part;
        if (row.Length - row.Left > offset)
            throw SessionErrors.ColumnTakenInPart(ordinal);
        var copied = 0;
        while (row.Left > 0 && copied < target.Length)
        {
            Arrive(cursor, ordinal, Reach.More);
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

    private static void Arrive(in ResultCursor cursor, int ordinal, Reach reach)
    {
        if (!cursor.Rows.Part.TryReach(ordinal, reach))
            cursor.Pump();
    }
}
