namespace Loxo.Types;

/// <summary>tsquery: !'a' &amp; ( 'b':*A | 'c' ) &lt;2> 'd'; nothing for the empty one.</summary>
/// <param name="isToSend">Whether the bytes are for the server, which sends the empty query but takes none.</param>
internal sealed class TsQueryTextFormat(bool isToSend) : TextFormat
{
    private const string Name = "tsquery";

    private static readonly TsQueryCodec Codec = new();

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        var query = TsQueryParser.Parse(Utf8.Read(text)) ?? throw TextErrors.Malformed(Name, text);
        if (isToSend)
            Codec.Write(binary, query);
        else
            TsQueryCodec.WriteTree(binary, query);
    }

    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var query = Codec.Read(binary);
        try
        {
            return query.ToString();
        }
        catch (InsufficientExecutionStackException)
        {
            throw TypeErrors.Malformed(Name, "it is nested too deeply");
        }
    }
}
