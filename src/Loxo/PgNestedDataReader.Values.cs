using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using Loxo.Session;
using Loxo.Types;

namespace Loxo;

// The fields of the row that the reader stands on.
public sealed partial class PgNestedDataReader
{
    // For GetChars: the field that was asked for last, so that the next part is not decoded anew.
    private string? _text;
    private int _textOrdinal;

    /// <summary>How many fields the current row has; before the first, how many that will have.</summary>
    /// <exception cref="InvalidOperationException">The reader is closed, or the outermost one has left the row.</exception>
    public override int FieldCount => Open()._rows.FieldCount;

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
        try
        {
            return field.DefaultCodec.ReadObject(value) ?? DBNull.Value;
        }
        catch (Exception e)
        {
            throw Error(ordinal, e);
        }
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
            throw Error(ordinal, ReaderErrors.NotNested(field));
        return Of(_value.Field(field, ordinal, start, length), type, _rows.Types);
    }

    /// <summary>Copies bytes of the value: what bytea holds, the UTF-8 of text, json and jsonb, of other types what was sent.</summary>
    /// <param name="ordinal">The field.</param>
    /// <param name="dataOffset">The first byte wanted.</param>
    /// <param name="buffer">Where they go; null asks for the value's length.</param>
    /// <param name="bufferOffset">Where the first one goes.</param>
    /// <param name="length">The most that are wanted.</param>
    /// <returns>How many were copied, or the value's length in bytes.</returns>
    /// <exception cref="InvalidCastException">The value is NULL.</exception>
    public override long GetBytes(int ordinal, long dataOffset, byte[]? buffer, int bufferOffset, int length)
    {
        var value = Content(ordinal);
        return buffer is null ? value.Length : Copy(value, dataOffset, buffer.AsSpan(bufferOffset, length));
    }

    /// <summary>Copies characters of the value.</summary>
    /// <param name="ordinal">The field.</param>
    /// <param name="dataOffset">The first character wanted.</param>
    /// <param name="buffer">Where they go; null asks for the value's length.</param>
    /// <param name="bufferOffset">Where the first one goes.</param>
    /// <param name="length">The most that are wanted.</param>
    /// <returns>How many were copied, or the value's length in characters.</returns>
    /// <exception cref="InvalidCastException">The value is NULL, or its type is not read as text.</exception>
    public override long GetChars(int ordinal, long dataOffset, char[]? buffer, int bufferOffset, int length)
    {
        OnRow(ordinal);
        if (_text is null || _textOrdinal != ordinal)
            (_text, _textOrdinal) = (Get<string>(ordinal), ordinal);
        return buffer is null ? _text.Length : Copy<char>(_text, dataOffset, buffer.AsSpan(bufferOffset, length));
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
        for (var i = 0; i < count; i++)
        {
            if (PgDataReader.IsLooselySame(_rows[i].Name, name))
                return i;
        }
        throw ReaderErrors.NoColumn(name);
    }

    /// <summary>The PostgreSQL type as SQL writes it, with its modifier if it is a composite's field: <c>character varying(10)</c>.</summary>
    public override string GetDataTypeName(int ordinal)
    {
        var field = Field(ordinal);
        return field.Type is { } type ? TypeNames.Format(type, field.Description.TypeModifier) : "unknown";
    }

    /// <summary>The .NET type that <see cref="GetValue"/> returns.</summary>
    [return: DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.PublicProperties)]
    [UnconditionalSuppressMessage("Trimming", "IL2073", Justification = "The types are those of codecs, all of them referenced by name.")]
    public override Type GetFieldType(int ordinal) => Field(ordinal).DefaultCodec.UntypedType;

    /// <inheritdoc/>
    protected override DbDataReader GetDbDataReader(int ordinal) => GetData(ordinal);

    private static int Copy<T>(ReadOnlySpan<T> value, long offset, Span<T> target)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        var rest = value[(int)Math.Min(offset, value.Length)..];
        var count = Math.Min(rest.Length, target.Length);
        rest[..count].CopyTo(target);
        return count;
    }

    private T Get<T>(int ordinal)
    {
        var field = OnRow(ordinal);
        if (!TryGet(ordinal, out var value))
            return default(T) is null && typeof(T).IsValueType ? default! : throw _value.Error(ReaderErrors.IsNull(field, ordinal, typeof(T)));
        var codec = field.LastCodec as Codec<T> ?? Find<T>(field, ordinal);
        try
        {
            return codec.Read(value);
        }
        catch (Exception e)
        {
            throw Error(ordinal, e);
        }
    }

    private Codec<T> Find<T>(ResultColumn field, int ordinal)
    {
        var codec = field.CodecFor<T>() ?? throw _value.Error(ReaderErrors.WrongType(field, ordinal, typeof(T)));
        field.LastCodec = codec;
        return codec;
    }

    private ReadOnlySpan<byte> Content(int ordinal)
    {
        var field = OnRow(ordinal);
        if (!TryGet(ordinal, out var value))
            throw _value.Error(ReaderErrors.IsNull(field, ordinal, typeof(byte[])));
        // jsonb and jsonpath stand behind a version, which is no part of what they hold.
        if (field.Type is null || NestedRows.BelowDomains(field.Type, _rows.Types).PgDbType is not (PgDbType.Jsonb or PgDbType.JsonPath))
            return value;
        try
        {
            return VersionedText.Open(value, field.Type.DisplayName);
        }
        catch (PgException e)
        {
            throw Error(ordinal, e);
        }
    }

    private bool TryGet(int ordinal, out ReadOnlySpan<byte> value)
    {
        var isThere = _rows.TryFind(ordinal, out var start, out var length);
        value = isThere ? _value.Bytes.Slice(start, length) : default;
        return isThere;
    }

    private Exception Error(int ordinal, Exception cause) => _value.Error(ReaderErrors.CannotRead(_rows[ordinal], ordinal, cause));

    private ResultColumn OnRow(int ordinal)
    {
        Open();
        return _rows.IsOnRow && !_isLeft ? Field(ordinal) : throw ReaderErrors.NoRow();
    }

    private ResultColumn Field(int ordinal) => (uint)ordinal < (uint)FieldCount ? _rows[ordinal] : throw ReaderErrors.NoColumn(ordinal, FieldCount);
}
