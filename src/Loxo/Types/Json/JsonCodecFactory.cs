using System.Text.Json.Serialization.Metadata;

namespace Loxo.Types;

/// <summary>Makes the codecs of json, jsonb and their arrays for every .NET type that System.Text.Json reads and writes.</summary>
internal abstract class JsonCodecFactory : ICodecFactory
{
    public abstract ICodecFactory? Arrays { get; }

    public Codec<T>? Create<T>(TypeEntry type)
    {
        if (typeof(T) == typeof(object))
            return LateBound(type) as Codec<T>;
        return IsForJson(typeof(T)) ? new JsonCodec<T>(TargetOf(type)) : null;
    }

    public Codec? Create(Type clrType, TypeEntry type) => IsForJson(clrType) ? new JsonObjectCodec(TargetOf(type), clrType) : null;

    private protected abstract JsonFormat TargetOf(TypeEntry type);

    private protected virtual Codec? LateBound(TypeEntry type) => null;

    private protected virtual bool IsForJson(Type clrType) => !IsResource(clrType);

    // Streams and readers, whose properties System.Text.Json would write, which nobody can mean.
    private static bool IsResource(Type clrType) => clrType.IsAssignableTo(typeof(MarshalByRefObject)) || clrType == typeof(DBNull);
}

internal sealed class JsonScalarFactory(JsonFormat target) : JsonCodecFactory
{
    public override ICodecFactory Arrays { get; } = new JsonArrayFactory(target);

    /// <summary>A codec that goes by the metadata given instead of the data source's.</summary>
    public Codec<T> With<T>(JsonTypeInfo<T> typeInfo) => new JsonCodec<T>(target, typeInfo);

    private protected override JsonFormat TargetOf(TypeEntry type) => target;

    // An object is written as what it is: text stays text.
    private protected override Codec LateBound(TypeEntry type) => new LateBoundCodec(type);
}

internal sealed class JsonArrayFactory(JsonFormat element) : JsonCodecFactory
{
    private JsonArrayFormat? _target;

    public override ICodecFactory? Arrays => null;

    private protected override JsonFormat TargetOf(TypeEntry type) => _target ??= new JsonArrayFormat(element, type.Element!);

    // Text and bytes are no lists of JSON values, although both can be enumerated.
    private protected override bool IsForJson(Type clrType) =>
        base.IsForJson(clrType) && clrType != typeof(string) && typeof(System.Collections.IEnumerable).IsAssignableFrom(clrType);
}
