using System.Text.Json;
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
        catch (JsonException e)
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
        catch (JsonException e)
        {
            throw target.CannotRead(clrType, e);
        }
    }

    public override void WriteObject(MessageWriter writer, object value) => target.WriteObject(writer, value, TypeInfo);

    // Values are sent in binary; only what is read comes as text, and that is always asked for by a type that is known.
    internal override Codec InTextFormat(TextFormat format) => this;
}
