namespace Loxo.Types;

/// <summary>How a value in binary format is shown as text, the way the server does.</summary>
internal abstract class TextFormatter
{
    public abstract string ToText(ReadOnlySpan<byte> binary);
}

/// <summary>Text format as a way to and from binary format: one codec serves both. Text is rare, so it may take longer.</summary>
internal abstract class TextFormat : TextFormatter
{
    /// <summary>Whether values are text, so that text format needs no conversion.</summary>
    public virtual bool IsTextItself => false;

    /// <summary>Writes the binary form of a value given as the server writes it in text format.</summary>
    public abstract void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text);

    public void WriteWithLength(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        var start = binary.BeginValue();
        WriteBinary(binary, text);
        binary.EndValue(start);
    }
}

/// <summary>Types whose .NET type parses and formats text as the server does.</summary>
internal sealed class ParsableTextFormat<T>(string type, Codec<T> codec) : TextFormat
    where T : ISpanParsable<T>
{
    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        if (!T.TryParse(Utf8.Read(text), CultureInfo.InvariantCulture, out var value))
            throw TypeErrors.Malformed(type, text);
        codec.Write(binary, value);
    }

    public override string ToText(ReadOnlySpan<byte> binary) => codec.Read(binary).ToString()!;
}

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
