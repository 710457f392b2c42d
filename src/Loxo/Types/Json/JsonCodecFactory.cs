using System.Collections;
using System.Text.Json.Serialization.Metadata;

namespace Loxo.Types;

/// <summary>Makes the codecs of json or jsonb, or of arrays of it, for every .NET type that System.Text.Json reads and writes.</summary>
internal sealed class JsonCodecFactory(JsonFormat scalar, bool isOfArrays = false) : ICodecFactory
{
    private JsonFormat? _target = isOfArrays ? null : scalar;

    public bool IsOfArrays => isOfArrays;

    public ICodecFactory? Arrays => isOfArrays ? null : new JsonCodecFactory(scalar, isOfArrays: true);

    public Codec<T>? Create<T>(TypeEntry type)
    {
        // An object is written as what it is: text stays text.
        if (typeof(T) == typeof(object))
            return isOfArrays ? null : (Codec)new LateBoundCodec(type) as Codec<T>;
        return IsForJson(typeof(T)) ? new JsonCodec<T>(TargetOf(type)) : null;
    }

    public Codec? Create(Type clrType, TypeEntry type) => IsForJson(clrType) ? new JsonObjectCodec(TargetOf(type), clrType) : null;

    /// <summary>A codec that goes by the metadata given instead of the data source's.</summary>
    public Codec<T> With<T>(JsonTypeInfo<T> typeInfo) => new JsonCodec<T>(scalar, typeInfo);

    private JsonFormat TargetOf(TypeEntry type) => _target ??= new JsonArrayFormat(scalar, type.Element!);

    // Nobody means the properties of streams and readers, nor text and bytes as lists of JSON values.
    private bool IsForJson(Type clrType) =>
        !clrType.IsAssignableTo(typeof(MarshalByRefObject)) && clrType != typeof(DBNull)
        && (!isOfArrays || (clrType != typeof(string) && clrType.IsAssignableTo(typeof(IEnumerable))));
}
