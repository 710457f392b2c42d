using Loxo.Protocol.Frontend;

namespace Loxo.Types.TextFormat;

/// <summary>
/// Arrays: {1,NULL,"with \"quotes\" or , in it"}, perhaps behind [lower:upper]= (manual, "Array Input and Output Syntax").
/// </summary>
internal sealed class ArrayForm(TypeEntry element, TextForm form) : TextForm
{
    private readonly ArrayRendering _rendering = new(element);

    private readonly byte _delimiter = (byte)ArrayRendering.DelimiterOf(element);

    private string Name => element.DisplayName + "[]";

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        var rest = SkipBounds(text);
        var dimensions = Math.Max(0, rest.IndexOfAnyExcept((byte)'{'));
        if (dimensions == 0 || !rest.EndsWith("}"u8))
            throw TextErrors.Malformed(Name, text);
        var elements = new MessageWriter();
        // An array of arrays has no codec; its number of dimensions is all that the error needs.
        var count = dimensions == 1 ? WriteElements(elements, rest[1..]) : 1;
        binary.WriteInt32(count == 0 ? 0 : dimensions);
        binary.WriteInt32(0);
        binary.WriteUInt32(element.Oid);
        if (count == 0)
            return;
        binary.WriteInt32(count);
        binary.WriteInt32(1);
        binary.WriteBytes(elements.Pending);
    }

    public override string ToText(ReadOnlySpan<byte> binary) => _rendering.ToText(binary);

    private static ReadOnlySpan<byte> SkipBounds(ReadOnlySpan<byte> text) =>
        text is [(byte)'[', ..] && text.IndexOf((byte)'=') is > 0 and var equals ? text[(equals + 1)..] : text;

    private int WriteElements(MessageWriter elements, ReadOnlySpan<byte> text)
    {
        if (text is [(byte)'}'])
            return 0;
        var value = new MessageWriter();
        for (var count = 1; ; count++)
        {
            var isQuoted = text is [(byte)'"', ..];
            text = isQuoted ? TakeQuoted(value, text[1..]) : TakePlain(value, text);
            WriteElement(elements, value.Pending, canBeNull: !isQuoted);
            value.Consume(value.Pending.Length);
            if (text is [(byte)'}'])
                return count;
            if (text.IsEmpty || text[0] != _delimiter)
                throw TextErrors.Malformed(Name, text);
            text = text[1..];
        }
    }

    private void WriteElement(MessageWriter elements, ReadOnlySpan<byte> value, bool canBeNull)
    {
        if (canBeNull && value.SequenceEqual("NULL"u8))
        {
            elements.WriteNullValue();
            return;
        }
        var start = elements.BeginValue();
        form.WriteBinary(elements, value);
        elements.EndValue(start);
    }

    private ReadOnlySpan<byte> TakePlain(MessageWriter value, ReadOnlySpan<byte> text)
    {
        // The server quotes every element that is empty or holds one of these.
        var length = text.IndexOfAny([_delimiter, .. "}\"\\{"u8]);
        if (length <= 0 || (text[length] != _delimiter && text[length] != '}'))
            throw TextErrors.Malformed(Name, text);
        value.WriteBytes(text[..length]);
        return text[length..];
    }

    private ReadOnlySpan<byte> TakeQuoted(MessageWriter value, ReadOnlySpan<byte> text)
    {
        while (true)
        {
            var end = text.IndexOfAny((byte)'"', (byte)'\\');
            if (end < 0 || end + 1 == text.Length)
                throw TextErrors.Malformed(Name, text);
            value.WriteBytes(text[..end]);
            if (text[end] == '"')
                return text[(end + 1)..];
            value.WriteByte(text[end + 1]);
            text = text[(end + 2)..];
        }
    }
}
