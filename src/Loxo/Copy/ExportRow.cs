using Loxo.Parameters;
using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Session;

namespace Loxo.Copy;

/// <summary>
/// The row of a binary export that is being read, in place in the input buffer. The server sends a CopyData for each row (manual, "COPY
/// Operations"), the header of the data in front of the first one and the trailer as the last one.
/// </summary>
/// <param name="exchange">The COPY.</param>
internal sealed class ExportRow(CopyExchange exchange)
{
    private const int NotRead = -2;

    private readonly MessageReader _input = exchange.Session.Wire.Input;
    private readonly Column[] _columns = Column.Of(exchange);
    private bool _hasHeader;
    private bool _hasTrailer;
    private bool _hasRow;
    private long _rows;
    private int _at;
    private int _end;
    private int _ordinal;
    private int _length = NotRead;

    /// <summary>The number of columns; -1 behind the last row.</summary>
    public int Count { get; private set; } = -1;

    /// <summary>Whether the next column is NULL.</summary>
    public bool IsNull => Length < 0;

    /// <summary>Takes the next row, if it has arrived. With -1 as <see cref="Count"/> the data have come to their end.</summary>
    public bool TryTake()
    {
        if (!_input.TryTakeCopyData(out _at, out _end))
            return false;
        if (!_hasHeader)
            TakeHeader();
        else if (_hasTrailer)
            throw Malformed("something follows its trailer");
        _ordinal = 0;
        _length = NotRead;
        Count = ReadInt16();
        _hasRow = Count >= 0;
        _hasTrailer = !_hasRow;
        if (_hasRow && Count != _columns.Length)
            throw Malformed($"a row has {Count} columns instead of {_columns.Length}");
        if (_hasRow)
            _rows++;
        return true;
    }

    /// <summary>The copy is over; returns -1.</summary>
    public int End()
    {
        _hasRow = false;
        return Count = -1;
    }

    /// <summary>The server has completed the COPY, with so many rows by its count.</summary>
    /// <exception cref="PgException">They are not those that have been taken.</exception>
    public void Check(ulong counted)
    {
        if (!_hasTrailer)
            throw CopyErrors.Malformed("it ends without a trailer");
        if ((ulong)_rows != counted)
            throw ProtocolErrors.RowsMissing(_rows, counted);
    }

    /// <summary>Passes over the next column.</summary>
    public void Skip()
    {
        _at += Math.Max(Length, 0);
        Passed();
    }

    /// <summary>Reads the next column. If that fails, it can be read again as another type.</summary>
    /// <param name="hint">Its type, where it is not known otherwise; null for none.</param>
    public T Read<T>(PgDbType? hint)
    {
        var length = Length;
        if (length < 0)
        {
            var none = NullAs<T>();
            Passed();
            return none;
        }
        ref var column = ref _columns[_ordinal];
        var bytes = _input.Buffer.AsSpan(_at, length);
        var value = column.ClrType == typeof(T) ? Unsafe.As<Codec<T>>(column.Codec!).Read(bytes) : ReadByCodec<T>(ref column, bytes, hint);
        _at += length;
        Passed();
        return value;
    }

    // Of the next column; -1 for NULL.
    private int Length
    {
        get
        {
            if (_length != NotRead)
                return _length;
            if (!_hasRow || _ordinal >= Count || !exchange.IsCopyingOut)
                throw CopyErrors.NoColumnToRead(_hasRow);
            if (_end - _at < sizeof(int))
                throw Malformed("a row ends within a column");
            var length = BinaryPrimitives.ReadInt32BigEndian(_input.Buffer.AsSpan(_at));
            _at += sizeof(int);
            if (length > _end - _at || length < -1)
                throw Malformed("a row ends within a column");
            return _length = length;
        }
    }

    // Whatever comes next would be misread, too.
    private Exception Malformed(string why) => exchange.Session.Failed(CopyErrors.Malformed(why));

    private void Passed()
    {
        _ordinal++;
        _length = NotRead;
    }

    private void TakeHeader()
    {
        _hasHeader = true;
        var header = _input.Buffer.AsSpan(_at, _end - _at);
        var length = BinaryFormat.Signature.Length + (2 * sizeof(int));
        if (header.Length < length || !header.StartsWith(BinaryFormat.Signature))
            throw Malformed("it does not begin with the signature");
        var extension = BinaryPrimitives.ReadInt32BigEndian(header[(length - sizeof(int))..]);
        if (extension < 0 || extension > header.Length - length)
            throw Malformed("its header is too long");
        _at += length + extension;
    }

    private short ReadInt16()
    {
        if (_end - _at < sizeof(short))
            throw Malformed("a row is too short");
        var value = BinaryPrimitives.ReadInt16BigEndian(_input.Buffer.AsSpan(_at));
        _at += sizeof(short);
        return value;
    }

    private T NullAs<T>() => typeof(T) == typeof(object) ? (T)(object)DBNull.Value
        : typeof(T).IsValueType && default(T) is null ? default!
        : throw CopyErrors.Null(_ordinal, _columns[_ordinal].Name, typeof(T));

    private T ReadByCodec<T>(ref Column column, ReadOnlySpan<byte> bytes, PgDbType? hint)
    {
        var known = exchange.Session.Types.Known;
        if (column.TypeOid == 0)
            column.Type ??= hint is { } named ? known.BuiltIn.Find(named) : ParameterBinding.Infer(default(T));
        if (typeof(T) == typeof(Stream))
            return (T)(object)new MemoryStream(bytes.ToArray(), writable: false);
        if (typeof(T) == typeof(TextReader))
            return (T)(object)new StringReader(Utf8.Read(bytes));
        if (column.Type is not { IsReadableInBinary: true } type)
            throw CopyErrors.NotReadable(_ordinal, column.Name, null, typeof(T));
        if (typeof(T) == typeof(object))
            return (T)type.DefaultFor(FormatCode.Binary, column.Modifier)!.ReadObject(bytes);
        var codec = type.CodecFor<T>() ?? throw CopyErrors.NotReadable(_ordinal, column.Name, type, typeof(T));
        (column.ClrType, column.Codec) = (typeof(T), codec);
        return codec.Read(bytes);
    }

    private struct Column
    {
        public string Name;
        public uint TypeOid;
        public int Modifier;
        public TypeEntry? Type;

        /// <summary>The .NET type as which the column was read last; null for none.</summary>
        public Type? ClrType;

        public Codec? Codec;

        public static Column[] Of(CopyExchange exchange)
        {
            var columns = new Column[exchange.ColumnCount];
            for (var i = 0; i < columns.Length; i++)
            {
                var known = i < exchange.Columns.Count ? exchange.Columns[i] : null;
                columns[i].Name = known?.Name ?? "";
                columns[i].TypeOid = known?.TypeOid ?? 0;
                columns[i].Modifier = known?.Modifier ?? -1;
                columns[i].Type = exchange.Find(columns[i].TypeOid);
            }
            return columns;
        }
    }
}
