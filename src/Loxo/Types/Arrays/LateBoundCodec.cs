namespace Loxo.Types;

/// <summary>Elements of an array of object: each is read as the type's default and written as what it is.</summary>
internal sealed class LateBoundCodec(TypeEntry type) : ReferenceCodec<object>
{
    public override object Read(ReadOnlySpan<byte> value) => type.HasBinaryCodec
        ? type.Default.ReadObject(value)
        : throw ConversionErrors.NotReadable(type, typeof(object));

    public override void Write(MessageWriter writer, object value)
    {
        var codec = type.CodecForValue(value) ?? throw ConversionErrors.NotWritable(type, value.GetType());
        codec.WriteObject(writer, value);
    }
}
