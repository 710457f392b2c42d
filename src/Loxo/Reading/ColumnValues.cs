using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Loxo.Protocol;
using Loxo.Protocol.Frontend;
using Loxo.Session;
using Loxo.Types;

namespace Loxo.Reading;

/// <summary>Converts values of columns, and of fields of nested rows: from bytes that have arrived whole and are not NULL.</summary>
internal static class ColumnValues
{
    public static T Get<T>(ResultColumn column, int ordinal, ReadOnlySpan<byte> value)
    {
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

    /// <summary>NULL, where <typeparamref name="T"/> is a nullable value type.</summary>
    public static T Null<T>(ResultColumn column, int ordinal) =>
        default(T) is null && typeof(T).IsValueType ? default! : throw ReaderErrors.IsNull(column, ordinal, typeof(T));

    public static object GetObject(ResultColumn column, int ordinal, ReadOnlySpan<byte> value)
    {
        try
        {
            return column.DefaultCodec.ReadObject(value) ?? DBNull.Value;
        }
        catch (Exception e)
        {
            throw ReaderErrors.CannotRead(column, ordinal, e);
        }
    }

    public static int CountChars(ResultColumn column, int ordinal, ReadOnlySpan<byte> value)
    {
        if (Utf8Start(column, ordinal) is not (var start and >= 0))
            return Get<string>(column, ordinal, value).Length;
        try
        {
            return MessageWriter.StrictUtf8.GetCharCount(Content(column, ordinal, value, start));
        }
        catch (DecoderFallbackException e)
        {
            throw ReaderErrors.CannotRead(column, ordinal, ColumnText.NotUtf8(e));
        }
    }

    /// <summary>Where the text starts in a value that is UTF-8 itself; -1 where it has to be made from something else.</summary>
    public static int Utf8Start(ResultColumn column, int ordinal) =>
        (column.LastCodec as Codec<string> ?? Find<string>(column, ordinal)) switch
    {
        StringCodec => 0,
        VersionedReferenceCodec<string> => 1,
        _ => -1,
    };

    /// <summary>The length of the version in front of the content of jsonb and jsonpath; 0 for other types.</summary>
    public static int VersionLength(TypeEntry? type, FormatCode format) =>
        format == FormatCode.Binary && type is { PgDbType: PgDbType.Jsonb or PgDbType.JsonPath } ? 1 : 0;

    /// <summary>The value without its version, which is checked.</summary>
    public static ReadOnlySpan<byte> Content(ResultColumn column, int ordinal, ReadOnlySpan<byte> value, int versionLength)
    {
        if (versionLength == 0)
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

    public static ReadOnlySpan<byte> Json(ResultColumn column, int ordinal, ReadOnlySpan<byte> value, Type asked)
    {
        // Whatever can be read as characters is text on the wire.
        if (column.Format == FormatCode.Binary && column.Type?.CodecFor(typeof(char[])) is null)
            throw ReaderErrors.NotJson(column, ordinal, asked);
        return Content(column, ordinal, value, VersionLength(column.Type, column.Format));
    }

    public static T? GetJson<T>(ResultColumn column, int ordinal, ReadOnlySpan<byte> value, JsonTypeInfo<T> typeInfo)
    {
        var json = Json(column, ordinal, value, typeof(T));
        try
        {
            return JsonSerializer.Deserialize(json, typeInfo);
        }
        catch (Exception e)
        {
            throw ReaderErrors.CannotRead(column, ordinal, e);
        }
    }

    public static int Copy(ReadOnlySpan<byte> value, long dataOffset, Span<byte> target)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(dataOffset);
        var rest = value[(int)Math.Min(dataOffset, value.Length)..];
        var count = Math.Min(rest.Length, target.Length);
        rest[..count].CopyTo(target);
        return count;
    }

    private static Codec<T> Find<T>(ResultColumn column, int ordinal)
    {
        var codec = column.CodecFor<T>() ?? throw ReaderErrors.WrongType(column, ordinal, typeof(T));
        column.LastCodec = codec;
        return codec;
    }
}
