using System.Globalization;
using Loxo.Protocol.Frontend;
using Loxo.Types.Codecs;

namespace Loxo.Types.TextFormat;

/// <summary>Types whose .NET form reads and shows text as the server does.</summary>
internal sealed class ParsedForm<T>(string type, Codec<T> codec) : TextForm
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
