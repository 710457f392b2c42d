namespace Loxo.Types;

internal sealed class TextFormatCodec<T>(Codec<T> binary, TextFormat format) : Codec<T>
{
    // Most values of types that have a text format are 16 bytes or less.
    private const int ScratchSize = 32;

    internal override Type UntypedType => binary.UntypedType;

    public override T Read(ReadOnlySpan<byte> value) => binary.Read(ToBinary(value));

    public override void Write(MessageWriter writer, T value)
    {
        var scratch = new MessageWriter(ScratchSize);
        binary.Write(scratch, value);
        Utf8.Write(writer, format.ToText(scratch.Pending));
    }

    internal override Codec? As(Type clrType) => binary.As(clrType)?.InTextFormat(format);

    internal override Codec? AsTypeOf(object value) => binary.AsTypeOf(value)?.InTextFormat(format);

    private protected override object ReadUntyped(ReadOnlySpan<byte> value) => binary.ReadObject(ToBinary(value));

    private ReadOnlySpan<byte> ToBinary(ReadOnlySpan<byte> text)
    {
        var scratch = new MessageWriter(ScratchSize);
        format.WriteBinary(scratch, text);
        return scratch.Pending;
    }
}
