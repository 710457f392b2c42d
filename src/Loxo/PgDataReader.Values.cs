using System.Buffers;
using System.Collections;
using System.Data;
using System.Data.Common;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Loxo.Protocol;
using Loxo.Reading;
using Loxo.Session;
using Loxo.Types;

namespace Loxo;

// The values of the row that the reader stands on, and the columns of its result.
/// <exception cref="InvalidOperationException">Any member: there is no row, no result, or the reader is closed.</exception>
/// <exception cref="IndexOutOfRangeException">Any member that takes a column: there is no such column.</exception>
/// <exception cref="InvalidCastException">Any member that returns a value: it is NULL, or of another type.</exception>
/// <exception cref="PgException">Any member that moves on: a statement or the network failed.</exception>
public sealed partial class PgDataReader
{
    private TextPosition _chars;

    /// <inheritdoc/>
    public override int FieldCount => _cursor.FieldCount;

    /// <inheritdoc/>
    public override object this[int ordinal] => GetValue(ordinal);

    /// <inheritdoc/>
    public override object this[string name] => GetValue(GetOrdinal(name));

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
    public override string GetString(int ordinal)
    {
        // What Get<string> does, without the lookups of code that all reference types share.
        var (column, version) = (_cursor.OnRow(ordinal), _cursor.Rows.Version);
        if (column.LastCodec is not StringCodec codec || !_cursor.Rows.TryGet(ordinal, out var value))
            return Get<string>(ordinal);
        string text;
        try
        {
            text = codec.Read(value);
        }
        catch (Exception e)
        {
            throw ReaderErrors.CannotRead(column, ordinal, e);
        }
        return _cursor.StillAt(version, text);
    }

    /// <summary>The value as a <see cref="TimeSpan"/>.</summary>
    public TimeSpan GetTimeSpan(int ordinal) => Get<TimeSpan>(ordinal);

    /// <summary>
    /// The value as <typeparamref name="T"/>, without boxing. NULL is null if <typeparamref name="T"/> is a <see cref="Nullable{T}"/>,
    /// and <see cref="DBNull.Value"/> if it is <see cref="object"/>.
    /// </summary>
    /// <remarks>
    /// As <see cref="Stream"/> and <see cref="TextReader"/> it is what <see cref="GetStream"/> and <see cref="GetTextReader"/> return. As
    /// <see cref="ReadOnlySequence{T}"/> of bytes it is what was sent, where it lies: nothing is copied, and it must not be used after the
    /// reader has moved on.
    /// </remarks>
    /// <exception cref="InvalidCastException">The value is NULL, or the column's type is not read as <typeparamref name="T"/>.</exception>
    public override T GetFieldValue<T>(int ordinal)
    {
        if (typeof(T) == typeof(string))
        {
            var text = GetString(ordinal);
            return Unsafe.As<string, T>(ref text);
        }
        if (typeof(T) == typeof(object))
            return (T)GetValue(ordinal);
        if (typeof(T) == typeof(Stream))
            return (T)(object)GetStream(ordinal);
        if (typeof(T) == typeof(ReadOnlySequence<byte>))
            return (T)(object)GetSequence(ordinal); // no box: T is known when this is compiled
        return typeof(T) == typeof(TextReader) ? (T)(object)GetTextReader(ordinal) : Get<T>(ordinal);
    }

    /// <inheritdoc/>
    public override Task<T> GetFieldValueAsync<T>(int ordinal, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
            return Task.FromCanceled<T>(cancellationToken);
        try
        {
            var reach = typeof(T) == typeof(Stream) ? Reach.Start : typeof(T) == typeof(TextReader) ? Reach.More : Reach.All;
            return _cursor.IsThere(ordinal, reach)
                ? Task.FromResult(GetFieldValue<T>(ordinal))
                : GetArrivingAsync<T>(ordinal, cancellationToken);
        }
        catch (Exception e)
        {
            return Task.FromException<T>(e);
        }
    }

    /// <inheritdoc/>
    public override object GetValue(int ordinal)
    {
        var column = _cursor.OnRow(ordinal);
        return _cursor.StillAt(_cursor.Rows.Version,
            _cursor.Rows.TryGet(ordinal, out var value) ? ColumnValues.GetObject(column, ordinal, value) : DBNull.Value);
    }

    /// <inheritdoc/>
    public override int GetValues(object[] values)
    {
        ArgumentNullException.ThrowIfNull(values);
        var count = Math.Min(_cursor.Result().Count, values.Length);
        for (var i = 0; i < count; i++)
            values[i] = GetValue(i);
        return count;
    }

    /// <summary>The first column as ExecuteScalar returns it; null without columns, and for a function that returns nothing.</summary>
    internal object? GetScalar() =>
        FieldCount == 0 || (_cursor.Column(0).DefaultCodec is VoidCodec && !_cursor.Rows.IsNull(0)) ? null : GetValue(0);

    /// <inheritdoc/>
    public override bool IsDBNull(int ordinal)
    {
        _cursor.OnRow(ordinal);
        return _cursor.Rows.IsNull(ordinal);
    }

    /// <inheritdoc/>
    public override Task<bool> IsDBNullAsync(int ordinal, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
            return Task.FromCanceled<bool>(cancellationToken);
        try
        {
            return _cursor.IsThere(ordinal, Reach.Start)
                ? Task.FromResult(IsDBNull(ordinal))
                : IsNullArrivingAsync(ordinal, cancellationToken);
        }
        catch (Exception e)
        {
            return Task.FromException<bool>(e);
        }
    }

    /// <summary>
    /// The value's bytes as a stream, without copying them: of bytea what it holds, of text, json and jsonb the UTF-8, of any other type
    /// what was sent. It can be read until the reader moves on; after that it throws.
    /// </summary>
    /// <remarks>
    /// The value has arrived whole and the stream can seek, unless the command was executed with <see
    /// cref="CommandBehavior.SequentialAccess"/> and the row is longer than 64 KiB: then the stream reads what arrives, in bounded memory,
    /// and cannot seek. Its <see cref="Stream.Length"/> is known in either case.
    /// </remarks>
    /// <exception cref="InvalidCastException">The value is NULL.</exception>
    /// <exception cref="InvalidOperationException">With SequentialAccess, a long row's column was passed or read in part.</exception>
    public override Stream GetStream(int ordinal)
    {
        var column = _cursor.OnRow(ordinal);
        return ColumnStreams.Open(_cursor, column, ordinal, ColumnValues.VersionLength(column.Type, column.Format));
    }

    /// <summary>The same as <see cref="GetStream"/>, awaiting the column's start where it has not arrived.</summary>
    public Task<Stream> GetStreamAsync(int ordinal, CancellationToken cancellationToken = default) =>
        GetFieldValueAsync<Stream>(ordinal, cancellationToken);

    /// <summary>The value's text, decoded as it is read. It can be read until the reader moves on; after that it throws.</summary>
    /// <remarks>
    /// Of a long row with <see cref="CommandBehavior.SequentialAccess"/> the text is decoded as it arrives, as by <see cref="GetStream"/>.
    /// </remarks>
    /// <exception cref="InvalidCastException">The value is NULL, or its type is not read as text.</exception>
    /// <exception cref="InvalidOperationException">With SequentialAccess, a long row's column was passed or read in part.</exception>
    public override TextReader GetTextReader(int ordinal) =>
        (TextReader?)ColumnStreams.OpenText(_cursor, _cursor.OnRow(ordinal), ordinal) ?? new StringReader(Get<string>(ordinal));

    /// <summary>The same as <see cref="GetTextReader"/>, awaiting the column's start where it has not arrived.</summary>
    public Task<TextReader> GetTextReaderAsync(int ordinal, CancellationToken cancellationToken = default) =>
        GetFieldValueAsync<TextReader>(ordinal, cancellationToken);

    /// <inheritdoc/>
    /// <remarks>In a long row with SequentialAccess the offset cannot lie before bytes that were copied already.</remarks>
    /// <returns>How many bytes were copied; the value's length if the buffer is null.</returns>
    /// <exception cref="InvalidCastException">The value is NULL.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An offset or the length is negative, or they reach beyond the buffer.</exception>
    public override long GetBytes(int ordinal, long dataOffset, byte[]? buffer, int bufferOffset, int length)
    {
        var column = _cursor.OnRow(ordinal);
        if (_cursor.Rows.IsNull(ordinal))
            throw ReaderErrors.IsNull(column, ordinal, typeof(byte[]));
        var version = ColumnValues.VersionLength(column.Type, column.Format);
        if (buffer is null)
            return ColumnStreams.LengthOf(_cursor, ordinal) - version;
        ArgumentOutOfRangeException.ThrowIfNegative(dataOffset);
        var target = ColumnStreams.Target(buffer, bufferOffset, length);
        return _cursor.StillAt(_cursor.Rows.Version, _cursor.Rows.IsInPieces
            ? ColumnStreams.CopyArriving(_cursor, ordinal, dataOffset + version, target)
            : ColumnValues.Copy(GetBytesSpan(ordinal), dataOffset, target));
    }

    /// <summary>
    /// The value's bytes where they lie, valid until the reader moves on or is closed: what bytea holds, the UTF-8 of text, json, jsonb and
    /// the like; of other types what the server has sent, in the format of the column.
    /// </summary>
    /// <param name="ordinal">The column.</param>
    /// <exception cref="InvalidCastException">The value is NULL.</exception>
    public ReadOnlySpan<byte> GetBytesSpan(int ordinal)
    {
        var column = _cursor.OnRow(ordinal);
        return ColumnValues.Content(column, ordinal, Raw(column, ordinal), ColumnValues.VersionLength(column.Type, column.Format));
    }

    /// <inheritdoc cref="ResultCursor.Shape"/>
    internal ResultShape? Shape => _cursor.Shape;

    /// <inheritdoc cref="ResultCursor.PassesOn"/>
    internal bool PassesOn(int ordinal, uint typeOid) => _cursor.PassesOn(ordinal, typeOid);

    /// <inheritdoc cref="ResultCursor.TryGetBytes(int, out ReadOnlySpan{byte})"/>
    internal bool TryGetBytes(int ordinal, out ReadOnlySpan<byte> value) => _cursor.TryGetBytes(ordinal, out value);

    /// <inheritdoc cref="ResultCursor.TryGetBytes(out ReadOnlySpan{byte})"/>
    internal bool TryGetBytes(out ReadOnlySpan<byte> values) => _cursor.TryGetBytes(out values);

    /// <inheritdoc/>
    /// <remarks>
    /// A call that goes on where the last one ended decodes nothing twice. In a long row with SequentialAccess the offset cannot lie before
    /// what was copied already.
    /// </remarks>
    /// <returns>How many characters were copied; the value's length if the buffer is null.</returns>
    /// <exception cref="InvalidCastException">The value is NULL, or its type is not read as text.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An offset or the length is negative, or they reach beyond the buffer.</exception>
    public override long GetChars(int ordinal, long dataOffset, char[]? buffer, int bufferOffset, int length)
    {
        var column = _cursor.OnRow(ordinal);
        if (buffer is null)
            return _cursor.Rows.TryGet(ordinal, out var value)
                ? ColumnValues.CountChars(column, ordinal, value)
                : throw ReaderErrors.IsNull(column, ordinal, typeof(string));
        ArgumentOutOfRangeException.ThrowIfNegative(dataOffset);
        var version = _cursor.Rows.Version;
        if (!_chars.IsBefore(version, ordinal, dataOffset))
            _chars.Start(GetTextReader(ordinal), version, ordinal);
        return _chars.Read(dataOffset, ColumnStreams.Target(buffer, bufferOffset, length));
    }

    /// <summary>
    /// JSON as an object, by metadata of your own: without reflection, and whatever the data source says of JSON.
    /// <see cref="GetFieldValue{T}"/> does the same by the options of the data source.
    /// </summary>
    /// <typeparam name="T">The .NET type.</typeparam>
    /// <param name="ordinal">A column of type json, jsonb or text.</param>
    /// <param name="typeInfo">From a <c>JsonSerializerContext</c>, or of <c>JsonSerializerOptions.GetTypeInfo</c>. jsonb moves properties:
    /// for a polymorphic type its options have to set <c>AllowOutOfOrderMetadataProperties</c>.</param>
    /// <returns>Null for the JSON text <c>null</c>.</returns>
    /// <exception cref="InvalidCastException">
    /// The value is NULL, the column's type holds no text, or the JSON is not that of a <typeparamref name="T"/>; its cause tells more.
    /// </exception>
    public T? GetJson<T>(int ordinal, JsonTypeInfo<T> typeInfo)
    {
        ArgumentNullException.ThrowIfNull(typeInfo);
        var column = _cursor.OnRow(ordinal);
        return _cursor.StillAt(_cursor.Rows.Version, ColumnValues.GetJson(column, ordinal, Raw(column, ordinal), typeInfo));
    }

    /// <summary>JSON token by token, over the bytes of the row: valid until the reader moves on or is closed.</summary>
    /// <param name="ordinal">A column of type json, jsonb or text.</param>
    /// <param name="options">How it is read: by default no deeper than 64 levels.</param>
    /// <exception cref="InvalidCastException">The value is NULL, or the column's type holds no text.</exception>
    public Utf8JsonReader GetUtf8JsonReader(int ordinal, JsonReaderOptions options = default)
    {
        var column = _cursor.OnRow(ordinal);
        return new Utf8JsonReader(ColumnValues.Json(column, ordinal, Raw(column, ordinal), typeof(Utf8JsonReader)), options);
    }

    /// <summary>
    /// A reader of a record, a composite, or an array of them with one dimension, without copying it: an element is a row, a field a
    /// column. A single value is one row.
    /// </summary>
    /// <param name="ordinal">The column.</param>
    /// <returns>One before its first row. After this reader has moved on it throws <see cref="InvalidOperationException"/>.</returns>
    /// <exception cref="InvalidCastException">The value is NULL, of another type, or an array of several dimensions.</exception>
    /// <exception cref="InvalidOperationException">The row is longer than 64 KiB, and read with SequentialAccess.</exception>
    /// <exception cref="PgException">The value has come in text format.</exception>
    public new PgNestedDataReader GetData(int ordinal) =>
        PgNestedDataReader.Of(_cursor.OnRow(ordinal), ordinal, _cursor.Rows, Exchange.Session.Types.Known);

    /// <inheritdoc/>
    public override string GetName(int ordinal) => _cursor.Column(ordinal).Name;

    /// <summary>The column of that name; if none is spelled so, of that name without regard to case, width or kana.</summary>
    /// <exception cref="IndexOutOfRangeException">There is none.</exception>
    public override int GetOrdinal(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return ColumnNames.Find(_cursor.Result().Columns, name) is >= 0 and var exact
            ? exact
            : ColumnNames.FindLoosely(this, name);
    }

    /// <summary>The PostgreSQL type as SQL writes it, with its modifier: <c>character varying(10)</c>.</summary>
    public override string GetDataTypeName(int ordinal) => ColumnNames.TypeOf(_cursor.Column(ordinal));

    /// <summary>The OID of the column's type.</summary>
    public uint GetDataTypeOID(int ordinal) => _cursor.Column(ordinal).Description.TypeOid;

    /// <summary>The column's PostgreSQL type, with what it is made of.</summary>
    public PostgresType GetPostgresType(int ordinal)
    {
        var column = _cursor.Column(ordinal);
        return PostgresTypeModel.Of(column.Type, column.Description.TypeOid, Exchange.Session.Types.Known);
    }

    /// <summary>
    /// The .NET type that <see cref="GetValue"/> returns; <see cref="object"/> for <c>inet</c>, which is an
    /// <see cref="System.Net.IPAddress"/>, or a <see cref="PgInet"/> where the value has a netmask. With <c>Compatibility=Npgsql</c> it is
    /// <see cref="Array"/> for arrays, and <see cref="System.Net.IPAddress"/> for <c>inet</c>.
    /// </summary>
    [return: DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.PublicProperties)]
    [UnconditionalSuppressMessage("Trimming", "IL2073", Justification = "The types are those of codecs, all of them referenced by name.")]
    public override Type GetFieldType(int ordinal) => _cursor.Column(ordinal).FieldType;

    /// <inheritdoc/>
    public override IEnumerator GetEnumerator() => new DbEnumerator(this);

    /// <inheritdoc/>
    protected override DbDataReader GetDbDataReader(int ordinal) => GetData(ordinal);

    // Inlined, so that a value costs no call more than the one that reads it.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private T Get<T>(int ordinal)
    {
        var column = _cursor.OnRow(ordinal);
        return _cursor.StillAt(_cursor.Rows.Version, _cursor.Rows.TryGet(ordinal, out var value)
            ? ColumnValues.Get<T>(column, ordinal, value)
            : ColumnValues.Null<T>(column, ordinal));
    }

    private ReadOnlySpan<byte> Raw(ResultColumn column, int ordinal) =>
        _cursor.Rows.TryGet(ordinal, out var value) ? value : throw ReaderErrors.IsNull(column, ordinal, typeof(byte[]));

    private ReadOnlySequence<byte> GetSequence(int ordinal)
    {
        var column = _cursor.OnRow(ordinal);
        var (start, length) = _cursor.Rows.Place(ordinal);
        return length >= 0
            ? new(_cursor.Rows.Buffer, start, length)
            : throw ReaderErrors.IsNull(column, ordinal, typeof(ReadOnlySequence<byte>));
    }

    private async Task<T> GetArrivingAsync<T>(int ordinal, CancellationToken token)
    {
        await _cursor.PumpAsync(token).ConfigureAwait(false);
        // The version byte of a text that has one.
        if (typeof(T) == typeof(TextReader) && !_cursor.IsThere(ordinal, Reach.More))
            await _cursor.PumpAsync(token).ConfigureAwait(false);
        return GetFieldValue<T>(ordinal);
    }

    private async Task<bool> IsNullArrivingAsync(int ordinal, CancellationToken token)
    {
        await _cursor.PumpAsync(token).ConfigureAwait(false);
        return _cursor.Rows.IsNull(ordinal);
    }
}
