using Loxo.Protocol;
using Loxo.Reading;
using Loxo.Replication;
using Loxo.Session;
using Loxo.Types;

namespace Loxo;

/// <summary>A value of a row, read as a column of a <see cref="PgDataReader"/> is.</summary>
/// <exception cref="InvalidOperationException">Any member that reads: the value is of no row, as the default one is.</exception>
public readonly struct ReplicationValue
{
    private readonly ReplicationTuple? _row;
    private readonly int _ordinal;
    private readonly int _start;

    internal ReplicationValue(ReplicationTuple row, int ordinal, TupleDataKind kind, int start, int length) =>
        (_row, _ordinal, Kind, _start, Length) = (row, ordinal, kind, start, length);

    /// <summary>The number of bytes that were sent; 0 where there is no value.</summary>
    public int Length { get; }

    /// <summary>How it was sent.</summary>
    public TupleDataKind Kind { get; }

    /// <summary>Whether it is NULL.</summary>
    public bool IsDBNull => Kind == TupleDataKind.Null;

    /// <summary>Whether it is a large value that was not changed, and that was not sent for that reason.</summary>
    public bool IsUnchangedToastedValue => Kind == TupleDataKind.UnchangedToastedValue;

    /// <summary>The column's PostgreSQL type, with what it is made of.</summary>
    public PostgresType GetPostgresType()
    {
        var column = Column;
        return PostgresTypeModel.Of(column.Type, column.Description.TypeOid, Row.Relation.Types);
    }

    /// <summary>The PostgreSQL type as SQL writes it, with its modifier.</summary>
    public string GetDataTypeName() => ColumnNames.TypeOf(Column);

    /// <summary>The .NET type of <see cref="Get(CancellationToken)"/>: <see cref="string"/> for values in text format.</summary>
    public Type GetFieldType() => Column.FieldType;

    /// <summary>The column's name.</summary>
    public string GetFieldName() => Row.Relation.Columns[_ordinal].ColumnName;

    /// <summary>The value as that type. Nothing has to be waited for.</summary>
    /// <param name="cancellationToken">Not used.</param>
    /// <exception cref="InvalidCastException">The type does not fit, or there is no value.</exception>
    public ValueTask<T> Get<T>(CancellationToken cancellationToken = default) => new(Read<T>());

    /// <summary>
    /// The value as its type's default .NET type: a string if it was sent in text format, <see cref="DBNull"/> for NULL. Nothing has to be
    /// waited for.
    /// </summary>
    /// <param name="cancellationToken">Not used.</param>
    /// <exception cref="InvalidCastException">There is no value.</exception>
    public ValueTask<object> Get(CancellationToken cancellationToken = default) => new(Read<object>());

    /// <summary>The value as that type.</summary>
    /// <exception cref="InvalidCastException">The type does not fit, or there is no value.</exception>
    public T Read<T>()
    {
        if (IsDBNull)
            return Null<T>();
        CheckSent();
        if (typeof(T) == typeof(object))
            return (T)ColumnValues.GetObject(Column, _ordinal, Bytes);
        if (typeof(T) == typeof(Stream))
            return (T)(object)GetStream();
        return typeof(T) == typeof(TextReader) ? (T)(object)GetTextReader() : ColumnValues.Get<T>(Column, _ordinal, Bytes);
    }

    /// <summary>The value as bytes: for <c>bytea</c> its content, for other types as they were sent.</summary>
    /// <exception cref="InvalidCastException">There is no value.</exception>
    public Stream GetStream()
    {
        CheckSent();
        return new MemoryStream(Column is { Type.PgDbType: PgDbType.Bytea } ? Read<byte[]>() : Bytes.ToArray(), writable: false);
    }

    /// <summary>The value as text.</summary>
    /// <exception cref="InvalidCastException">It is not text, or there is no value.</exception>
    public TextReader GetTextReader()
    {
        CheckSent();
        return new StringReader(Read<string>());
    }

    /// <summary>The value as its default type shows it; for tests and logs.</summary>
    public override string ToString() => _row is null || IsDBNull ? ""
        : IsUnchangedToastedValue ? "(unchanged)"
        : Convert.ToString(Read<object>(), CultureInfo.InvariantCulture)!;

    private ReplicationTuple Row => _row ?? throw ReplicationErrors.NoRow();

    private ReadOnlySpan<byte> Bytes => Row.Bytes(_start, Length);

    private ResultColumn Column => Row.Relation.Decoder(_ordinal, Kind == TupleDataKind.BinaryValue ? FormatCode.Binary : FormatCode.Text);

    private T Null<T>() => typeof(T) == typeof(object) ? (T)(object)DBNull.Value
        : typeof(T).IsValueType && default(T) is null ? default!
        : throw ReplicationErrors.NoValue(GetFieldName(), typeof(T));

    private void CheckSent()
    {
        if (IsDBNull || IsUnchangedToastedValue)
            throw ReplicationErrors.NoValue(GetFieldName(), IsDBNull ? typeof(string) : null);
    }
}
