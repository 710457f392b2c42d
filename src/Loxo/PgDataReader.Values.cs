using System.Buffers;
using System.Collections;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Runtime.CompilerServices;
using Loxo.Session;
using Loxo.Types;

namespace Loxo;

// The values and columns of the row that the reader stands on.
public sealed partial class PgDataReader
{
    /// <inheritdoc/>
    public override int FieldCount => Open()._shape?.Count ?? 0;

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
        var column = OnRow(ordinal);
        if (column.LastCodec is not StringCodec codec || !_rows.TryGet(ordinal, out var value))
            return Get<string>(ordinal);
        try
        {
            return codec.Read(value);
        }
        catch (Exception e)
        {
            throw ReaderErrors.CannotRead(column, ordinal, e);
        }
    }

    /// <summary>The value as a <see cref="TimeSpan"/>.</summary>
    public TimeSpan GetTimeSpan(int ordinal) => Get<TimeSpan>(ordinal);

    /// <summary>
    /// The value as <typeparamref name="T"/>, without boxing. NULL is null if <typeparamref name="T"/> is a <see cref="Nullable{T}"/>,
    /// and <see cref="DBNull.Value"/> if it is <see cref="object"/>.
    /// </summary>
    /// <remarks>
    /// As <see cref="Stream"/> and <see cref="TextReader"/> it is what <see cref="GetStream"/> and <see cref="GetTextReader"/> return. As
    /// <see cref="ReadOnlySequence{T}"/> of bytes it is what was sent, where it lies: nothing is copied, and it must not be used after the reader has moved on.
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
            return (T)(object)Sequence(ordinal); // no box: T is known when this is compiled
        return typeof(T) == typeof(TextReader) ? (T)(object)GetTextReader(ordinal) : Get<T>(ordinal);
    }

    /// <inheritdoc/>
    public override Task<T> GetFieldValueAsync<T>(int ordinal, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
            return Task.FromCanceled<T>(cancellationToken);
        try
        {
            return IsThere(ordinal, ReachFor<T>()) ? Task.FromResult(GetFieldValue<T>(ordinal)) : GetArrivingAsync<T>(ordinal, cancellationToken);
        }
        catch (Exception e)
        {
            return Task.FromException<T>(e);
        }
    }

    /// <inheritdoc/>
    public override object GetValue(int ordinal)
    {
        var column = OnRow(ordinal);
        if (!_rows.TryGet(ordinal, out var value))
            return DBNull.Value;
        var codec = DefaultCodec(column);
        try
        {
            return codec.ReadObject(value) ?? DBNull.Value;
        }
        catch (Exception e)
        {
            throw ReaderErrors.CannotRead(column, ordinal, e);
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
        return _rows.IsNull(ordinal);
    }

    /// <inheritdoc/>
    public override Task<bool> IsDBNullAsync(int ordinal, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
            return Task.FromCanceled<bool>(cancellationToken);
        try
        {
            return IsThere(ordinal, Reach.Start) ? Task.FromResult(IsDBNull(ordinal)) : IsNullArrivingAsync(ordinal, cancellationToken);
        }
        catch (Exception e)
        {
            return Task.FromException<bool>(e);
        }
    }

    /// <inheritdoc/>
    public override string GetName(int ordinal) => Column(ordinal).Name;

    /// <summary>The column of that name; if none is spelled so, of that name without regard to case, width or kana.</summary>
    /// <exception cref="IndexOutOfRangeException">There is none.</exception>
    public override int GetOrdinal(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        Open();
        var columns = _shape is null ? [] : _shape.Columns;
        for (var i = 0; i < columns.Length; i++)
        {
            if (columns[i].Name == name)
                return i;
        }
        for (var i = 0; i < columns.Length; i++)
        {
            if (IsLooselySame(columns[i].Name, name))
                return i;
        }
        throw ReaderErrors.NoColumn(name);
    }

    /// <summary>The PostgreSQL type as SQL writes it, with its modifier: <c>character varying(10)</c>.</summary>
    public override string GetDataTypeName(int ordinal)
    {
        var column = Column(ordinal);
        return column.Type is { } type ? TypeNames.Format(type, column.Description.TypeModifier) : "unknown";
    }

    /// <summary>The OID of the column's type.</summary>
    public uint GetDataTypeOID(int ordinal) => Column(ordinal).Description.TypeOid;

    /// <summary>
    /// The .NET type that <see cref="GetValue"/> returns; <see cref="object"/> for <c>inet</c>, which is an
    /// <see cref="System.Net.IPAddress"/>, or a <see cref="PgInet"/> where the value has a netmask.
    /// </summary>
    [return: DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.PublicProperties)]
    [UnconditionalSuppressMessage("Trimming", "IL2073", Justification = "The types are those of codecs, all of them referenced by name.")]
    public override Type GetFieldType(int ordinal) => DefaultCodec(Column(ordinal)).UntypedType;

    /// <inheritdoc/>
    public override IEnumerator GetEnumerator() => new DbEnumerator(this);

    /// <summary>Whether names are the same without regard to case, width or kana.</summary>
    internal static bool IsLooselySame(string name, string other) => CultureInfo.InvariantCulture.CompareInfo.Compare(
        name, other, CompareOptions.IgnoreCase | CompareOptions.IgnoreWidth | CompareOptions.IgnoreKanaType) == 0;

    private static Codec DefaultCodec(ResultColumn column) => column.DefaultCodec;

    private T Get<T>(int ordinal)
    {
        var column = OnRow(ordinal);
        if (!_rows.TryGet(ordinal, out var value))
            return default(T) is null && typeof(T).IsValueType ? default! : throw ReaderErrors.IsNull(column, ordinal, typeof(T));
        var codec = column.LastCodec as Codec<T> ?? Find<T>(column, ordinal);
        try
        {
            return codec.Read(value);
        }
        catch (Exception e)
        {
            throw ReaderErrors.CannotRead(column, ordinal, e);
        }
    }

    private static Codec<T> Find<T>(ResultColumn column, int ordinal)
    {
        var codec = column.CodecFor<T>() ?? throw ReaderErrors.WrongType(column, ordinal, typeof(T));
        column.LastCodec = codec;
        return codec;
    }

    private ReadOnlySpan<byte> Raw(int ordinal)
    {
        var column = OnRow(ordinal);
        return _rows.TryGet(ordinal, out var value) ? value : throw ReaderErrors.IsNull(column, ordinal, typeof(byte[]));
    }

    private ResultColumn OnRow(int ordinal)
    {
        if (_shape is not { } shape || !_rows.IsOnRow || _isPeeked)
            throw _state == ReaderState.Closed ? ReaderErrors.Closed() : ReaderErrors.NoRow();
        return (uint)ordinal < (uint)shape.Count ? shape[ordinal] : throw ReaderErrors.NoColumn(ordinal, shape.Count);
    }

    private ResultColumn Column(int ordinal)
    {
        Open();
        return _shape is { } shape && (uint)ordinal < (uint)shape.Count ? shape[ordinal] : throw ReaderErrors.NoColumn(ordinal, _shape?.Count ?? 0);
    }
}
