namespace Loxo.Types;

/// <summary>Composite values: (1,"two, and more",), nothing between commas being NULL (record_in and record_out, rowtypes.c).</summary>
internal sealed class CompositeTextFormat(CompositeFields fields) : TextFormat
{
    private const string Special = "\"\\(), \t\n\r\v\f";

    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var reader = fields.Open(binary);
        var texts = new string[fields.Descriptions.Count];
        for (var i = 0; i < texts.Length; i++)
            texts[i] = fields.TryTake(ref reader, i, out var value) ? TextQuoting.Doubling(fields.Entry(i).ToText(value), Special) : "";
        reader.End();
        return "(" + string.Join(',', texts) + ")";
    }

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        if (text is not [(byte)'(', .. var rest])
            throw TextErrors.Malformed(fields.TypeName, text);
        fields.Begin(binary);
        for (var i = 0; i < fields.Descriptions.Count; i++)
        {
            var value = new MessageWriter(32);
            rest = Take(value, rest, out var isNull);
            if (rest is not [(byte)',' or (byte)')', ..] || (rest[0] == ')') != (i == fields.Descriptions.Count - 1))
                throw TextErrors.Malformed(fields.TypeName, text);
            rest = rest[1..];
            WriteField(binary, i, isNull, value.Pending);
        }
        if (!rest.IsEmpty)
            throw TextErrors.Malformed(fields.TypeName, text);
    }

    private void WriteField(MessageWriter binary, int i, bool isNull, ReadOnlySpan<byte> text)
    {
        var entry = fields.Entry(i);
        binary.WriteUInt32(entry.Oid);
        if (isNull)
        {
            binary.WriteNullValue();
            return;
        }
        var start = binary.BeginValue();
        entry.WriteBinary(binary, text);
        binary.EndValue(start);
    }

    // Up to the next comma or parenthesis outside of quotes; a backslash or a doubled quote stands for itself.
    private static ReadOnlySpan<byte> Take(MessageWriter value, ReadOnlySpan<byte> text, out bool isNull)
    {
        isNull = text is [(byte)',' or (byte)')', ..];
        var isQuoted = false;
        while (text is [var first, ..] && (isQuoted || first is not ((byte)',' or (byte)')')))
        {
            var isEscaped = first == '\\' || (isQuoted && text is [(byte)'"', (byte)'"', ..]);
            if (first == '"' && !isEscaped)
                isQuoted = !isQuoted;
            else if (isEscaped && text.Length < 2)
                return [];
            else
                value.WriteByte(isEscaped ? text[1] : first);
            text = text[(isEscaped ? 2 : 1)..];
        }
        return text;
    }
}
