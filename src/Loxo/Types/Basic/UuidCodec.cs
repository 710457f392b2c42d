namespace Loxo.Types;

/// <summary>uuid: 16 bytes, most significant first.</summary>
internal sealed class UuidCodec : ValueCodec<Guid>
{
    public override Guid Read(ReadOnlySpan<byte> value) => new(FixedBytes.Exactly(16, value, "uuid"), bigEndian: true);

    public override void Write(MessageWriter writer, Guid value) => value.TryWriteBytes(writer.Reserve(16), bigEndian: true, out _);
}

internal sealed class UuidTextFormat : TextFormat
{
    private readonly UuidCodec _codec = new();

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        if (!Guid.TryParse(text, CultureInfo.InvariantCulture, out var uuid))
            throw TextErrors.Malformed("uuid", text);
        _codec.Write(binary, uuid);
    }

    public override string ToText(ReadOnlySpan<byte> binary) => _codec.Read(binary).ToString();
}
