using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Loxo.Protocol;
using Loxo.Session;
using Loxo.Types;

namespace Loxo;

// JSON and bytes where they lie: no copy is made.
public sealed partial class PgDataReader
{
    /// <summary>
    /// JSON as an object, by metadata of your own: without reflection, and whatever the data source says of JSON. <see cref="GetFieldValue{T}"/> does the
    /// same by the options of the data source.
    /// </summary>
    /// <typeparam name="T">The .NET type.</typeparam>
    /// <param name="ordinal">A column of type json, jsonb or text.</param>
    /// <param name="typeInfo">From a <c>JsonSerializerContext</c>, or of <c>JsonSerializerOptions.GetTypeInfo</c>. jsonb moves properties: for a
    /// polymorphic type its options have to set <c>AllowOutOfOrderMetadataProperties</c>.</param>
    /// <returns>Null for the JSON text <c>null</c>.</returns>
    /// <exception cref="InvalidCastException">The value is NULL, or the column's type holds no text.</exception>
    /// <exception cref="PgException">The JSON is not that of a <typeparamref name="T"/>; the <see cref="JsonException"/> is the cause.</exception>
    public T? GetJson<T>(int ordinal, JsonTypeInfo<T> typeInfo)
    {
        ArgumentNullException.ThrowIfNull(typeInfo);
        var json = JsonOf(ordinal, typeof(T));
        try
        {
            return JsonSerializer.Deserialize(json, typeInfo);
        }
        catch (Exception e)
        {
            throw ReaderErrors.CannotRead(OnRow(ordinal), ordinal, e);
        }
    }

    /// <summary>JSON token by token, over the bytes of the row: valid until the reader moves on or is closed.</summary>
    /// <param name="ordinal">A column of type json, jsonb or text.</param>
    /// <param name="options">How it is read: by default no deeper than 64 levels.</param>
    /// <exception cref="InvalidCastException">The value is NULL, or the column's type holds no text.</exception>
    public Utf8JsonReader GetUtf8JsonReader(int ordinal, JsonReaderOptions options = default) => new(JsonOf(ordinal, typeof(Utf8JsonReader)), options);

    /// <summary>
    /// The value's bytes where they lie, valid until the reader moves on or is closed: what bytea holds, the UTF-8 of text, json, jsonb and the like; of
    /// other types what the server has sent, in the format of the column.
    /// </summary>
    /// <param name="ordinal">The column.</param>
    /// <exception cref="InvalidCastException">The value is NULL.</exception>
    public ReadOnlySpan<byte> GetBytesSpan(int ordinal) => WithoutVersion(OnRow(ordinal), ordinal, Raw(ordinal));

    private ReadOnlySpan<byte> JsonOf(int ordinal, Type asked)
    {
        var column = OnRow(ordinal);
        var value = Raw(ordinal);
        // Whatever can be read as characters is text on the wire.
        if (column.Format == FormatCode.Binary && column.Type?.CodecFor(typeof(char[])) is null)
            throw ReaderErrors.CannotRead(column, ordinal, TypeErrors.NoForm("A value that is not text", ClrNames.Of(asked) + " as JSON", "Cast it with to_jsonb in SQL"));
        return WithoutVersion(column, ordinal, value);
    }

    // jsonb and jsonpath stand behind a version, which is no part of what they hold.
    private static int VersionLength(ResultColumn column) =>
        column is { Format: FormatCode.Binary, Type.PgDbType: PgDbType.Jsonb or PgDbType.JsonPath } ? 1 : 0;

    private static ReadOnlySpan<byte> WithoutVersion(ResultColumn column, int ordinal, ReadOnlySpan<byte> value)
    {
        if (VersionLength(column) == 0)
            return value;
        try
        {
            return VersionedText.Open(value, column.Type!.DisplayName);
        }
        catch (PgException e)
        {
            throw ReaderErrors.CannotRead(column, ordinal, e);
        }
    }
}
