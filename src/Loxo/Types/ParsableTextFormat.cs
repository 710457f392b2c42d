namespace Loxo.Types;

/// <summary>Types whose .NET type parses and formats text as the server does.</summary>
internal sealed class ParsableTextFormat<T>(string type, Codec<T> codec) : TextFormat
    where T : ISpanParsable<T>
{
    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        if (!T.TryParse(Utf8.Read(text), CultureInfo.InvariantCulture, out var value))
            throw TextErrors.Malformed(type, text);
        codec.Write(binary, value);
    }

    public override string ToText(ReadOnlySpan<byte> binary) => codec.Read(binary).ToString()!;
}
