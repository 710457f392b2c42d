using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization.Metadata;

namespace Loxo.Types;

internal sealed class JsonCodec<T>(JsonFormat target, JsonTypeInfo<T>? typeInfo = null) : Codec<T>
{
    private JsonTypeInfo<T>? _typeInfo = typeInfo;

    private JsonTypeInfo<T> TypeInfo => _typeInfo ??= (JsonTypeInfo<T>)target.TypeInfoOf(typeof(T));

    /// <summary>The value; null for the JSON text <c>null</c> where <typeparamref name="T"/> can be null.</summary>
    public override T Read(ReadOnlySpan<byte> value)
    {
        try
        {
            return JsonSerializer.Deserialize(target.Open(value), TypeInfo)!;
        }
        catch (Exception e) when (JsonFormat.IsRefusal(e))
        {
            throw target.CannotRead(typeof(T), e);
        }
    }

    public override void Write(MessageWriter writer, T value) => target.Write(writer, value, TypeInfo);
}

/// <summary>JSON as a .NET type that is not known before a value of it comes.</summary>
internal sealed class JsonObjectCodec(JsonFormat target, Type clrType) : Codec
{
    private JsonTypeInfo? _typeInfo;

    public override Type ValueType => clrType;

    private JsonTypeInfo TypeInfo => _typeInfo ??= target.TypeInfoOf(clrType);

    public override object ReadObject(ReadOnlySpan<byte> value)
    {
        try
        {
            return JsonSerializer.Deserialize(target.Open(value), TypeInfo)!;
        }
        catch (Exception e) when (JsonFormat.IsRefusal(e))
        {
            throw target.CannotRead(clrType, e);
        }
    }

    public override void WriteObject(MessageWriter writer, object value) => target.WriteObject(writer, value, TypeInfo);

    // Values are sent in binary; only what is read comes as text, and that is always asked for by a type that is known.
    internal override Codec InTextFormat(TextFormat format) => this;
}

/// <summary>JSON as a document that owns its text. Dispose it to give the memory of its index back early.</summary>
internal sealed class JsonDocumentCodec(JsonFormat target) : ReferenceCodec<JsonDocument>
{
    public override JsonDocument Read(ReadOnlySpan<byte> value)
    {
        ReadOnlyMemory<byte> text = target.Open(value).ToArray();
        try
        {
            return JsonDocument.Parse(text, target.DocumentOptions);
        }
        catch (JsonException e)
        {
            throw target.CannotRead(typeof(JsonDocument), e);
        }
    }

    public override void Write(MessageWriter writer, JsonDocument value) =>
        target.Write(writer, value, static (json, value) => value.WriteTo(json));
}

/// <summary>JSON as an element that owns its text; nothing has to be disposed.</summary>
internal sealed class JsonElementCodec(JsonFormat target) : ValueCodec<JsonElement>
{
    public override JsonElement Read(ReadOnlySpan<byte> value)
    {
        try
        {
            return JsonElement.Parse(target.Open(value), target.DocumentOptions);
        }
        catch (JsonException e)
        {
            throw target.CannotRead(typeof(JsonElement), e);
        }
    }

    public override void Write(MessageWriter writer, JsonElement value)
    {
        if (value.ValueKind == JsonValueKind.Undefined)
            throw TypeErrors.NoForm("A JsonElement that stands for nothing", target.Type,
                "Give one that was parsed, or DBNull.Value for NULL");
        target.Write(writer, value, static (json, value) => value.WriteTo(json));
    }
}

/// <summary>JSON as nodes that can be changed. The JSON text <c>null</c> is null, as everywhere with nodes.</summary>
internal sealed class JsonNodeCodec<T>(JsonFormat target) : ReferenceCodec<T>
    where T : JsonNode
{
    public override T Read(ReadOnlySpan<byte> value) => Parse(value) switch
    {
        null => null!,
        T node => node,
        var other => throw TypeErrors.NoForm($"JSON that is {Kind(other)}", typeof(T).Name, "Read it as JsonNode"),
    };

    public override void Write(MessageWriter writer, T value) =>
        target.Write(writer, (Node: value, target.WriteOptions), static (json, value) => value.Node.WriteTo(json, value.WriteOptions));

    private JsonNode? Parse(ReadOnlySpan<byte> value)
    {
        try
        {
            return JsonNode.Parse(target.Open(value), target.NodeOptions, target.DocumentOptions);
        }
        catch (JsonException e)
        {
            throw target.CannotRead(typeof(T), e);
        }
    }

    private static string Kind(JsonNode node) => node switch
    {
        JsonObject => "an object",
        JsonArray => "an array",
        _ => "neither an object nor an array",
    };
}
