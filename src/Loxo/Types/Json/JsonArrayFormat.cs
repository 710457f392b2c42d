using System.Text.Json;

namespace Loxo.Types;

/// <summary>json[] or jsonb[] as one JSON array, so that lists need no generic types made at run time.</summary>
internal sealed class JsonArrayFormat(JsonFormat element, TypeEntry type) : JsonFormat(type.DisplayName + "[]")
{
    private readonly ArrayFormat<object> _format = new(new LateBoundCodec(type), type);

    public override JsonSerializerOptions Options => element.Options;

    public override ReadOnlySpan<byte> Open(ReadOnlySpan<byte> value)
    {
        var elements = _format.Open(value, out var count);
        var json = new MessageWriter(elements.Length + 2);
        json.WriteByte((byte)'[');
        for (var i = 0; i < count; i++)
        {
            if (i > 0)
                json.WriteByte((byte)',');
            elements = CopyElement(json, elements);
        }
        ArrayReader.End(elements, type);
        json.WriteByte((byte)']');
        return json.Pending;
    }

    private protected override MessageWriter Begin(MessageWriter writer) => new();

    private protected override void End(MessageWriter writer, MessageWriter json)
    {
        var (count, hasNull) = Measure(json.Pending);
        ArrayReader.WriteHeader(writer, type, hasNull, count == 0 ? [] : [count], [1]);
        if (count == 0)
            return;
        var reader = Reader(json.Pending);
        while (ReadElement(ref reader, json.Pending, out var text))
            WriteElement(writer, reader.TokenType, text);
    }

    private (int Count, bool HasNull) Measure(ReadOnlySpan<byte> json)
    {
        if (json is not [(byte)'[', ..])
            throw TypeErrors.NoForm("A value that System.Text.Json writes as something else than an array", Type,
                $"Write it as {type.DisplayName}, or give a list");
        var count = 0;
        var hasNull = false;
        var reader = Reader(json);
        for (; ReadElement(ref reader, json, out _); count++)
            hasNull |= reader.TokenType == JsonTokenType.Null;
        return (count, hasNull);
    }

    private void WriteElement(MessageWriter writer, JsonTokenType kind, ReadOnlySpan<byte> text)
    {
        if (kind == JsonTokenType.Null)
        {
            writer.WriteNullValue();
            return;
        }
        var start = writer.BeginValue();
        element.WriteText(writer, text);
        writer.EndValue(start);
    }

    private ReadOnlySpan<byte> CopyElement(MessageWriter json, ReadOnlySpan<byte> elements)
    {
        var length = ArrayReader.LengthOfFirst(elements, type);
        json.WriteBytes(length < 0 ? "null"u8 : element.Open(elements.Slice(sizeof(int), length)));
        return elements[(sizeof(int) + Math.Max(length, 0))..];
    }

    // The serializer has kept to the depth that it is allowed; there is nothing left to limit.
    private static Utf8JsonReader Reader(ReadOnlySpan<byte> json)
    {
        var reader = new Utf8JsonReader(json, new JsonReaderOptions { MaxDepth = int.MaxValue });
        reader.Read();
        return reader;
    }

    private static bool ReadElement(ref Utf8JsonReader reader, ReadOnlySpan<byte> json, out ReadOnlySpan<byte> text)
    {
        text = default;
        if (!reader.Read() || reader.TokenType == JsonTokenType.EndArray)
            return false;
        var start = (int)reader.TokenStartIndex;
        reader.Skip();
        text = json[start..(int)reader.BytesConsumed];
        return true;
    }
}
