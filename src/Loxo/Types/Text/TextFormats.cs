namespace Loxo.Types;

/// <summary>Text types: both formats are the same.</summary>
internal sealed class PlainTextFormat : TextFormat
{
    public override bool IsTextItself => true;

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text) => binary.WriteBytes(text);

    public override string ToText(ReadOnlySpan<byte> binary) => Utf8.Read(binary);
}

internal sealed class VersionedTextFormat(string type) : TextFormat
{
    public override bool IsTextItself => true;

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        VersionedText.Begin(binary);
        binary.WriteBytes(text);
    }

    public override string ToText(ReadOnlySpan<byte> binary) => Utf8.Read(VersionedText.Open(binary, type));
}
