namespace Loxo.Types;

/// <summary>Composite values: (1,"two, and more",), nothing between commas being NULL (record_in and record_out, rowtypes.c).</summary>
internal sealed class CompositeTextFormat(CompositeFields fields) : TextFormat
{
    public const string Special = "\"\\(), \t\n\r\v\f";

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
        if (text.Trim(AsciiBlanks.AllBytes) is not [(byte)'(', .. var rest])
            throw TypeErrors.Malformed(fields.TypeName, text);
        if (fields.Descriptions.Count == 0)
            rest = rest is [(byte)')'] ? [] : throw TypeErrors.Malformed(fields.TypeName, text);
        fields.Begin(binary);
        for (var i = 0; i < fields.Descriptions.Count; i++)
        {
            var value = new MessageWriter(32);
            var isNull = rest is [(byte)',' or (byte)')', ..];
            rest = TextQuoting.Take(rest, ",)"u8, value);
            if (rest is not [(byte)',' or (byte)')', ..] || (rest[0] == ')') != (i == fields.Descriptions.Count - 1))
                throw TypeErrors.Malformed(fields.TypeName, text);
            rest = rest[1..];
            WriteField(binary, i, isNull, value.Pending);
        }
        if (!rest.IsEmpty)
            throw TypeErrors.Malformed(fields.TypeName, text);
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
}
