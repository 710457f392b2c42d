using Loxo.Types.Codecs;

namespace Loxo.Types.TextFormat;

/// <summary>tsquery: !'a' &amp; ( 'b':*A | 'c' ) &lt;2> 'd'; nothing for the empty one.</summary>
internal sealed class TsQueryForm : TextForm
{
    private static readonly TsQueryCodec Codec = new();

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text) =>
        TsQueryCodec.WriteTree(binary, TsQueryText.Parse(Utf8.Read(text)) ?? throw TextErrors.Malformed("tsquery", text));

    public override string ToText(ReadOnlySpan<byte> binary) => Codec.Read(binary).ToString();
}
