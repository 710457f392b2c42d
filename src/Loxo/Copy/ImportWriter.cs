using Loxo.Parameters;

namespace Loxo.Copy;

/// <summary>
/// Encodes the rows of a binary import straight into what is sent: it never waits. Its caller sends when <see cref="MustSend"/>, between
/// rows or within a large one.
/// </summary>
/// <remarks>The format is described in the manual, COPY, "Binary Format".</remarks>
internal sealed class ImportWriter
{
    // Rows beyond this stay below 64 KiB, the size up to which the output buffer is kept between commands.
    private const int WorthSending = 48 * 1024;

    // A row is sent whole up to this size, so that it can be taken back as a whole if one of its values cannot be written.
    private const int WholeRow = 1024 * 1024;

    private readonly CopyOperation _copy;
    private readonly MessageWriter _output;
    private readonly ImportColumn[] _columns;
    // The next column of the row that is being written; the number of columns between two rows.
    private int _column;
    private long _rowStart;

    public ImportWriter(CopyOperation copy)
    {
        _copy = copy;
        _output = copy.Session.Output;
        _columns = ImportColumn.Of(copy.Exchange);
        _column = _columns.Length;
        copy.WhenEnded = End;
        _output.WriteBytes(BinaryFormat.Signature);
        _output.WriteInt32(0); // no flags
        _output.WriteInt32(0); // no extension
    }

    /// <summary>The number of columns.</summary>
    public int Count => _columns.Length;

    /// <summary>The number of rows that were begun: the row being written, counted from 1.</summary>
    public ulong Row { get; private set; }

    /// <summary>The number of the row that errors of its values name; 0 for <see cref="Row"/>.</summary>
    public ulong SourceRow { get; set; }

    /// <summary>The zero-based column of the next value.</summary>
    public int Column => _column;

    /// <summary>Whether the last row has all its values.</summary>
    public bool IsBetweenRows => _column == _columns.Length;

    /// <summary>Whether enough is written to be sent before anything else is written.</summary>
    public bool MustSend => _output.PendingLength > (_column == _columns.Length ? WorthSending : WholeRow);

    /// <summary>The output, for the pieces of a long value.</summary>
    public MessageWriter Output => _output;

    /// <summary>The column of the next value.</summary>
    public ref ImportColumn Next => ref _columns[_column];

    /// <summary>Begins a row.</summary>
    /// <exception cref="InvalidOperationException">The row before lacks values.</exception>
    public void StartRow()
    {
        CheckOpen();
        if (_column != _columns.Length)
            throw CopyErrors.RowNotFinished(Row, _column, _columns.Length);
        _rowStart = _output.Position;
        _output.WriteInt16((short)_columns.Length);
        _column = 0;
        Row++;
    }

    /// <summary>Writes a value. If that fails nothing of it is left, and another value can be written.</summary>
    public void Write<T>(T value)
    {
        if ((uint)_column >= (uint)_columns.Length)
            throw NoColumn();
        if (value is null || (!typeof(T).IsValueType && value is DBNull))
        {
            _output.WriteNullValue();
            _column++;
            return;
        }
        ref var column = ref _columns[_column];
        var start = _output.Position;
        try
        {
            // Code that is generic over a class has to look its type up; a text, the most frequent class, need not.
            if (!typeof(T).IsValueType && value is string text && column.ClrType == typeof(string))
                Unsafe.As<Codec<string>>(column.Codec!).WriteWithLength(_output, text);
            else if (column.ClrType == typeof(T))
                Unsafe.As<Codec<T>>(column.Codec!).WriteWithLength(_output, value);
            else
                WriteByCodec(ref column, value);
        }
        catch (Exception e)
        {
            _output.CutTo(start);
            if (value is string refused && refused.IndexOf('\0', StringComparison.Ordinal) is >= 0 and var at)
                e = CopyErrors.NulInText(at);
            if (ParameterErrors.IsAboutValue(e))
                throw CopyErrors.CannotWrite(RowShown, _column, column.Name, e);
            throw;
        }
        _column++;
    }

    /// <summary>Whether the values of a reader's column can be written as the server has sent them.</summary>
    public bool PassesOn(PgDataReader reader, int ordinal, int column) =>
        column < _columns.Length && _copy.Session.Types.Known.Mappings.IsEmpty && reader.PassesOn(ordinal, _columns[column].TypeOid);

    /// <summary>Writes a value as a server has sent it.</summary>
    public void WriteBinary(ReadOnlySpan<byte> value)
    {
        var start = _output.Position;
        try
        {
            _output.WriteInt32(value.Length);
            _output.WriteBytes(value);
        }
        catch (Exception e) when (ParameterErrors.IsAboutValue(e))
        {
            _output.CutTo(start);
            throw CopyErrors.CannotWrite(RowShown, _column, _columns[_column].Name, e);
        }
        _column++;
    }

    /// <summary>
    /// Writes all values of a row as a server has sent them, each behind its length: a DataRow and a row of COPY have the same format.
    /// False for a row that is too long to be sent whole.
    /// </summary>
    public bool TryWriteBinaryRow(ReadOnlySpan<byte> values)
    {
        if (values.Length > WholeRow)
            return false;
        _output.WriteBytes(values);
        _column = _columns.Length;
        return true;
    }

    /// <summary>The value as one that is written in pieces; null if it is written like others.</summary>
    public LongValue? Long(object value)
    {
        if ((uint)_column >= (uint)_columns.Length)
            throw NoColumn();
        ref var column = ref _columns[_column];
        try
        {
            if (value is string text && text.IndexOf('\0', StringComparison.Ordinal) is >= 0 and var at)
                throw CopyErrors.NulInText(at);
            if (value is Stream)
                column.SetType(StreamedParameter.Bytea);
            else if (column.Type is null)
                column.CodecFor(value, _copy.Session.Types);
            return LongValue.For(value, column.Type, column.TypeOid);
        }
        catch (Exception e) when (ParameterErrors.IsAboutValue(e))
        {
            throw CopyErrors.CannotWrite(RowShown, _column, column.Name, e);
        }
    }

    /// <summary>Writes the length and the prefix of a value that has been measured; its bytes follow.</summary>
    public void BeginLong(LongValue value)
    {
        var length = value.Prefix.Length + value.Length;
        if (length > MessageWriter.MostInMessage)
        {
            var tooLarge = Protocol.ProtocolErrors.MessageTooLarge(length, MessageWriter.MostInMessage);
            throw CopyErrors.CannotWrite(RowShown, _column, Next.Name, tooLarge);
        }
        _output.WriteInt32((int)length);
        _output.WriteBytes(value.Prefix);
    }

    /// <summary>All bytes of a long value have been written.</summary>
    public void EndLong() => _column++;

    /// <summary>The bytes of the last row, of which nothing has been sent.</summary>
    public ReadOnlySpan<byte> LastRow => _output.Pending[(int)(_rowStart - _output.SentPosition)..];

    /// <summary>Writes a row that was encoded before.</summary>
    public void WriteEncoded(ReadOnlySpan<byte> row)
    {
        CheckOpen();
        _output.WriteBytes(row);
        Row++;
    }

    /// <summary>Takes the row back that is being written. False if some of it has been sent.</summary>
    public bool TryTakeRowBack()
    {
        if (_rowStart < _output.SentPosition || !_copy.IsOpen)
            return false;
        _output.CutTo(_rowStart);
        _column = _columns.Length;
        Row--;
        return true;
    }

    /// <summary>Writes what stands behind the last row.</summary>
    public void WriteTrailer() => _output.WriteInt16(BinaryFormat.Trailer);

    /// <summary>The number of values of a row is wrong.</summary>
    public void CheckCount(int given)
    {
        CheckOpen();
        if (IsBetweenRows && given != _columns.Length)
            throw CopyErrors.WrongCount(Row + 1, given, _columns.Length);
    }

    /// <exception cref="ObjectDisposedException">The import has ended.</exception>
    public void CheckOpen()
    {
        if (!_copy.IsOpen)
            ThrowEnded();
    }

    // A method with a throw of its own would not be compiled into its callers.
    [DoesNotReturn]
    private static void ThrowEnded() => throw CopyErrors.Ended(nameof(PgBinaryImporter));

    // Nothing more is written: the output belongs to the session's next command.
    private void End() => _column = _columns.Length;

    private ulong RowShown => SourceRow == 0 ? Row : SourceRow;

    private void WriteByCodec<T>(ref ImportColumn column, T value)
    {
        var codec = column.CodecFor(value, _copy.Session.Types);
        if (typeof(T) != typeof(object) && codec is Codec<T> typed)
        {
            typed.WriteWithLength(_output, value);
            return;
        }
        var start = _output.BeginValue();
        codec.WriteObject(_output, value!);
        _output.EndValue(start);
    }

    private Exception NoColumn()
    {
        CheckOpen();
        return CopyErrors.NoColumn(Row, _columns.Length);
    }
}
