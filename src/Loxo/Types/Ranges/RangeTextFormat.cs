namespace Loxo.Types;

/// <summary>Ranges: [1,5), (,"2024-01-31 00:00:00"], empty (manual, "Range Input/Output").</summary>
internal sealed class RangeTextFormat(string type, TypeEntry bound, TextFormat boundFormat) : TextFormat
{
    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        var rest = text;
        var range = new RangeTextParser();
        if (!range.TryTake(ref rest) || !rest.IsEmpty)
            throw TypeErrors.Malformed(type, text);
        WriteBinary(binary, range);
    }

    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var reader = new RangeReader(binary, type);
        var lower = reader.TryTakeLower(out var bytes) ? bound.ToText(bytes) : null;
        var upper = reader.TryTakeUpper(out bytes) ? bound.ToText(bytes) : null;
        reader.End();
        return RangeTextParser.Format(reader.Flags, lower, upper);
    }

    public void WriteBinary(MessageWriter binary, RangeTextParser range)
    {
        binary.WriteByte((byte)range.Flags);
        if (range.Flags.HasLower())
            boundFormat.WriteWithLength(binary, range.Lower);
        if (range.Flags.HasUpper())
            boundFormat.WriteWithLength(binary, range.Upper);
    }
}

/// <summary>Multiranges: ranges in braces, {[1,3),[5,8)} (manual, "Range Input/Output").</summary>
internal sealed class MultirangeTextFormat(string type, RangeTextFormat range) : TextFormat
{
    private const int ScratchSize = 64;

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        var ranges = new MessageWriter(ScratchSize);
        var count = 0;
        var rest = text.Trim(AsciiBlanks.AllBytes);
        if (rest is not [(byte)'{', .., (byte)'}'])
            throw TypeErrors.Malformed(type, text);
        rest = rest[1..^1].Trim(AsciiBlanks.AllBytes);
        for (var parts = new RangeTextParser(); !rest.IsEmpty; count++)
        {
            if (!parts.TryTake(ref rest) || (!rest.IsEmpty && rest is not [(byte)',', _, ..]))
                throw TypeErrors.Malformed(type, text);
            rest = rest.IsEmpty ? rest : rest[1..];
            var start = ranges.BeginValue();
            range.WriteBinary(ranges, parts);
            ranges.EndValue(start);
        }
        binary.WriteInt32(count);
        binary.WriteBytes(ranges.Pending);
    }

    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var scanner = new BinaryScanner(binary, type);
        var ranges = new string[RangeReader.TakeCount(ref scanner)];
        foreach (ref var text in ranges.AsSpan())
            text = range.ToText(RangeReader.TakeRange(ref scanner));
        scanner.End();
        return "{" + string.Join(',', ranges) + "}";
    }
}
