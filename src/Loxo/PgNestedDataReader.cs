using System.Collections;
using System.Data;
using System.Data.Common;
using Loxo.Protocol;
using Loxo.Reading;
using Loxo.Session;
using Loxo.Types;

namespace Loxo;

/// <summary>
/// Reads a record, a composite, or an array of them as rows: one for the value or for each element of the array, with the fields as
/// columns. Made by <see cref="PgDataReader.GetData"/>, and for a field that has fields itself by <see cref="GetData"/> here.
/// </summary>
/// <remarks>
/// Nothing is copied: values are read where the outermost reader's row lies, so that all readers within it end with the row. After that
/// their members throw <see cref="InvalidOperationException"/>. Closing one changes nothing for the others. An element that is NULL is a
/// row of NULLs, as of <c>unnest</c> (manual, 9.19). The fields of a record without a type of its own are called f1, f2 and so on, as by
/// <c>row_to_json</c>; in an array each can have others, so that <see cref="FieldCount"/> is that of the current row (before the first,
/// that of the first that is not NULL).
/// </remarks>
/// <exception cref="InvalidOperationException">Any member: the reader is closed, an outer one has moved on, or there is no row.</exception>
/// <exception cref="IndexOutOfRangeException">Any member that takes an ordinal or a name: there is no such field.</exception>
/// <exception cref="InvalidCastException">Any member that returns a value: it is not of that type, or is NULL.</exception>
public sealed class PgNestedDataReader : DbDataReader
{
    private readonly NestedValue _value;
    private readonly NestedRows _rows;
    private TextPosition _chars;
    private bool _isClosed;
    private bool _isLeft;

    private PgNestedDataReader(NestedValue value, NestedRows rows) => (_value, _rows) = (value, rows);

    /// <summary>Whether there are rows: always, unless it reads an empty array.</summary>
    /// <exception cref="InvalidOperationException">The reader is closed, or the outermost one has left the row.</exception>
    public override bool HasRows => Open()._rows.HasRows;

    /// <summary>Whether this reader was closed; it is not when the outermost reader has moved on.</summary>
    public override bool IsClosed => _isClosed;

    /// <summary>Always -1: no statement was run for it.</summary>
    public override int RecordsAffected => -1;

    /// <summary>1 for a column of a result, one more for each value that it is a field of.</summary>
    public override int Depth => _value.Depth + 1;

    /// <summary>How many fields the current row has; before the first, how many that will have.</summary>
    /// <exception cref="InvalidOperationException">The reader is closed, or the outermost one has left the row.</exception>
    public override int FieldCount => Open()._rows.FieldCount;

    /// <inheritdoc/>
    public override object this[int ordinal] => GetValue(ordinal);

    /// <inheritdoc/>
    public override object this[string name] => GetValue(GetOrdinal(name));

    /// <summary>Goes to the next element, or to the only row of a value that is no array.</summary>
    /// <returns>False after the last.</returns>
    /// <exception cref="InvalidOperationException">The reader is closed, or the outermost one has left the row.</exception>
    /// <exception cref="PgException">The bytes are no value of the type.</exception>
    public override bool Read()
    {
        Open();
        _chars = default;
        if (_isLeft)
            return false;
        try
        {
            return _rows.MoveNext(_value.Bytes);
        }
        catch (PgException e)
        {
            throw _value.Error(e);
        }
    }

    /// <summary>Leaves the rows: there is one result only.</summary>
    /// <returns>Always false.</returns>
    /// <exception cref="InvalidOperationException">The reader is closed, or the outermost one has left the row.</exception>
    public override bool NextResult()
    {
        Open();
        _isLeft = true;
        return false;
    }

    /// <inheritdoc/>
    public override IEnumerator GetEnumerator() => new DbEnumerator(this);

    /// <summary>Always null: of fields no more is known than their names and types.</summary>
    public override DataTable? GetSchemaTable() => null;

    /// <summary>Nothing can be read from it any more; readers that it came from and that came from it can.</summary>
    public override void Close() => _isClosed = true;

    // The value has arrived, so nothing waits; but the base class forgets the token when it reports a cancellation.
    /// <inheritdoc/>
    public override Task<bool> ReadAsync(CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested ? Task.FromCanceled<bool>(cancellationToken) : base.ReadAsync(cancellationToken);

    /// <inheritdoc/>
    public override Task<bool> NextResultAsync(CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested ? Task.FromCanceled<bool>(cancellationToken) : base.NextResultAsync(cancellationToken);

    /// <inheritdoc/>
    public override Task<bool> IsDBNullAsync(int ordinal, CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested ? Task.FromCanceled<bool>(cancellationToken)
        : base.IsDBNullAsync(ordinal, cancellationToken);

    /// <inheritdoc/>
    public override Task<T> GetFieldValueAsync<T>(int ordinal, CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested ? Task.FromCanceled<T>(cancellationToken)
        : base.GetFieldValueAsync<T>(ordinal, cancellationToken);

    /// <inheritdoc/>
    public override bool GetBoolean(int ordinal) => Get<bool>(ordinal);

    /// <inheritdoc/>
    public override byte GetByte(int ordinal) => Get<byte>(ordinal);

    /// <inheritdoc/>
    public override char GetChar(int ordinal) => Get<char>(ordinal);

    /// <inheritdoc/>
    public override DateTime GetDateTime(int ordinal) => Get<DateTime>(ordinal);

    /// <inheritdoc/>
    public override decimal GetDecimal(int ordinal) => Get<decimal>(ordinal);

    /// <inheritdoc/>
    public override double GetDouble(int ordinal) => Get<double>(ordinal);

    /// <inheritdoc/>
    public override float GetFloat(int ordinal) => Get<float>(ordinal);

    /// <inheritdoc/>
    public override Guid GetGuid(int ordinal) => Get<Guid>(ordinal);

    /// <inheritdoc/>
    public override short GetInt16(int ordinal) => Get<short>(ordinal);

    /// <inheritdoc/>
    public override int GetInt32(int ordinal) => Get<int>(ordinal);

    /// <inheritdoc/>
    public override long GetInt64(int ordinal) => Get<long>(ordinal);

    /// <inheritdoc/>
    public override string GetString(int ordinal) => Get<string>(ordinal);

    /// <summary>The value as a <see cref="TimeSpan"/>.</summary>
    public TimeSpan GetTimeSpan(int ordinal) => Get<TimeSpan>(ordinal);

    /// <summary>
    /// The value as <typeparamref name="T"/>, without boxing. NULL is null if <typeparamref name="T"/> is a <see cref="Nullable{T}"/>,
    /// and <see cref="DBNull.Value"/> if it is <see cref="object"/>. A <see cref="Stream"/> or <see cref="TextReader"/> is over a copy.
    /// </summary>
    /// <exception cref="InvalidCastException">The value is NULL, or the field's type is not read as <typeparamref name="T"/>.</exception>
    public override T GetFieldValue<T>(int ordinal)
    {
        if (typeof(T) == typeof(object))
            return (T)GetValue(ordinal);
        if (typeof(T) == typeof(Stream))
            return (T)(object)GetStream(ordinal);
        return typeof(T) == typeof(TextReader) ? (T)(object)GetTextReader(ordinal) : Get<T>(ordinal);
    }

    /// <inheritdoc/>
    public override object GetValue(int ordinal)
    {
        var field = OnRow(ordinal);
        if (!TryGet(ordinal, out var value))
            return DBNull.Value;
        object result;
        try
        {
            result = ColumnValues.GetObject(field, ordinal, value);
        }
        catch (Exception e)
        {
            throw _value.Error(e);
        }
        return _value.StillAt(result);
    }

    /// <inheritdoc/>
    public override int GetValues(object[] values)
    {
        ArgumentNullException.ThrowIfNull(values);
        var count = Math.Min(FieldCount, values.Length);
        for (var i = 0; i < count; i++)
            values[i] = GetValue(i);
        return count;
    }

    /// <inheritdoc/>
    public override bool IsDBNull(int ordinal)
    {
        OnRow(ordinal);
        return !_rows.TryFind(ordinal, out _, out _);
    }

    /// <summary>A reader of a field that is a record, a composite, or an array of them with one dimension.</summary>
    /// <param name="ordinal">The field.</param>
    /// <returns>One that stands before the first row, and ends when the outermost reader leaves its row.</returns>
    /// <exception cref="InvalidCastException">The field is NULL, of another type, or an array of several dimensions.</exception>
    public new PgNestedDataReader GetData(int ordinal)
    {
        var field = OnRow(ordinal);
        if (!_rows.TryFind(ordinal, out var start, out var length))
            throw _value.Error(ReaderErrors.IsNull(field, ordinal, typeof(PgNestedDataReader)));
        if (field.Type is not { } type || !NestedRows.Has(type, _rows.Types))
            throw _value.Error(ReaderErrors.NotNested(field, ordinal));
        return Of(_value.Field(field, ordinal, start, length), type, _rows.Types);
    }

    /// <summary>Copies bytes of the value: what bytea holds, the UTF-8 of text, json and jsonb, of other types what was sent.</summary>
    /// <inheritdoc cref="PgDataReader.GetBytes"/>
    public override long GetBytes(int ordinal, long dataOffset, byte[]? buffer, int bufferOffset, int length)
    {
        var field = OnRow(ordinal);
        var isThere = TryGet(ordinal, out var value);
        var content = isThere ? Content(field, ordinal, value) : throw _value.Error(ReaderErrors.IsNull(field, ordinal, typeof(byte[])));
        return _value.StillAt(
            buffer is null ? content.Length : ColumnValues.Copy(content, dataOffset, ColumnStreams.Target(buffer, bufferOffset, length)));
    }

    /// <inheritdoc cref="PgDataReader.GetChars"/>
    public override long GetChars(int ordinal, long dataOffset, char[]? buffer, int bufferOffset, int length)
    {
        OnRow(ordinal);
        if (buffer is null)
            return Get<string>(ordinal).Length;
        ArgumentOutOfRangeException.ThrowIfNegative(dataOffset);
        if (!_chars.IsBefore(0, ordinal, dataOffset))
            _chars.Start(GetTextReader(ordinal), 0, ordinal);
        return _chars.Read(dataOffset, ColumnStreams.Target(buffer, bufferOffset, length));
    }

    /// <summary>The value's text, decoded at once.</summary>
    /// <exception cref="InvalidCastException">The value is NULL, or its type is not read as text.</exception>
    public override TextReader GetTextReader(int ordinal) => new StringReader(Get<string>(ordinal));

    /// <summary>The field's name; f1, f2 and so on in a record without a type of its own.</summary>
    public override string GetName(int ordinal) => Field(ordinal).Name;

    /// <summary>The field of that name; if none is spelled so, of that name without regard to case, width or kana.</summary>
    /// <exception cref="IndexOutOfRangeException">There is none.</exception>
    public override int GetOrdinal(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        var count = FieldCount;
        for (var i = 0; i < count; i++)
        {
            if (_rows[i].Name == name)
                return i;
        }
        return ColumnNames.FindLoosely(this, name);
    }

    /// <summary>The PostgreSQL type as SQL writes it, with the modifier of a composite's field: <c>character varying(10)</c>.</summary>
    public override string GetDataTypeName(int ordinal) => ColumnNames.TypeOf(Field(ordinal));

    /// <summary>The .NET type that <see cref="GetValue"/> returns.</summary>
    [return: DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.PublicProperties)]
    [UnconditionalSuppressMessage("Trimming", "IL2073", Justification = "The types are those of codecs, all of them referenced by name.")]
    public override Type GetFieldType(int ordinal) => Field(ordinal).FieldType;

    internal static PgNestedDataReader Of(ResultColumn column, int ordinal, Rows rows, DatabaseTypes types)
    {
        if (rows.IsInPieces)
            throw ReaderErrors.NestedInPieces(column, ordinal);
        if (rows.IsNull(ordinal))
            throw ReaderErrors.IsNull(column, ordinal, typeof(PgNestedDataReader));
        if (column.Type is not { } type || !NestedRows.Has(type, types))
            throw ReaderErrors.NotNested(column, ordinal);
        return column.Format == FormatCode.Binary
            ? Of(new NestedValue(rows, column, ordinal), type, types)
            : throw ReaderErrors.NestedInText(column, ordinal);
    }

    /// <inheritdoc/>
    protected override DbDataReader GetDbDataReader(int ordinal) => GetData(ordinal);

    private static PgNestedDataReader Of(NestedValue value, TypeEntry type, DatabaseTypes types)
    {
        try
        {
            return new PgNestedDataReader(value, NestedRows.Open(type, types, value.Bytes));
        }
        catch (Exception e) when (e is InvalidCastException or PgException)
        {
            throw value.Error(e);
        }
    }

    private T Get<T>(int ordinal)
    {
        var field = OnRow(ordinal);
        var isThere = TryGet(ordinal, out var value);
        T result;
        try
        {
            result = isThere ? ColumnValues.Get<T>(field, ordinal, value) : ColumnValues.Null<T>(field, ordinal);
        }
        catch (Exception e)
        {
            throw _value.Error(e);
        }
        return _value.StillAt(result);
    }

    private ReadOnlySpan<byte> Content(ResultColumn field, int ordinal, ReadOnlySpan<byte> value)
    {
        var type = field.Type is null ? null : NestedRows.BelowDomains(field.Type, _rows.Types);
        try
        {
            return ColumnValues.Content(field, ordinal, value, ColumnValues.VersionLength(type, FormatCode.Binary));
        }
        catch (PgException e)
        {
            throw _value.Error(e);
        }
    }

    private bool TryGet(int ordinal, out ReadOnlySpan<byte> value)
    {
        var isThere = _rows.TryFind(ordinal, out var start, out var length);
        value = isThere ? _value.Bytes.Slice(start, length) : default;
        return isThere;
    }

    private ResultColumn OnRow(int ordinal)
    {
        Open();
        return _rows.IsOnRow && !_isLeft ? Field(ordinal) : throw ReaderErrors.NoRow();
    }

    private ResultColumn Field(int ordinal) =>
        (uint)ordinal < (uint)FieldCount ? _rows[ordinal] : throw ReaderErrors.NoColumn(ordinal, FieldCount);

    private PgNestedDataReader Open()
    {
        if (_isClosed)
            throw ReaderErrors.Closed(isDisposed: false);
        _value.Check();
        return this;
    }
}
