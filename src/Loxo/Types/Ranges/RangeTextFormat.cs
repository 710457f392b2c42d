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

/// <summary>Parses and formats the text of ranges as the server does (range_parse and range_deparse, rangetypes.c).</summary>
internal sealed class RangeTextParser
{
    private const string Empty = "empty";

    private const int ScratchSize = 64;

    // What a bound has to be quoted for (range_bound_escape).
    private const string Special = "\"\\()[], \t\n\r\v\f";

    private readonly MessageWriter _lower = new(ScratchSize);
    private readonly MessageWriter _upper = new(ScratchSize);

    public RangeFlags Flags { get; private set; }

    /// <summary>The lower bound's text, without quotes; of no meaning if there is none.</summary>
    public ReadOnlySpan<byte> Lower => _lower.Pending;

    /// <summary>The upper bound's text, without quotes; of no meaning if there is none.</summary>
    public ReadOnlySpan<byte> Upper => _upper.Pending;

    public static string Format(RangeFlags flags, string? lower, string? upper) => flags.IsEmpty()
        ? Empty
        : $"{((flags & RangeFlags.LowerInclusive) != 0 ? '[' : '(')}{Quote(lower)},"
        + $"{Quote(upper)}{((flags & RangeFlags.UpperInclusive) != 0 ? ']' : ')')}";

    public bool TryTake(ref ReadOnlySpan<byte> text)
    {
        _lower.Consume(_lower.Pending.Length);
        _upper.Consume(_upper.Pending.Length);
        text = text.TrimStart(AsciiBlanks.AllBytes);
        if (text.Length >= Empty.Length && System.Text.Ascii.EqualsIgnoreCase(text[..Empty.Length], Empty))
        {
            Flags = RangeFlags.Empty;
            text = text[Empty.Length..].TrimStart(AsciiBlanks.AllBytes);
            return true;
        }
        if (text is not [(byte)'[' or (byte)'(', ..])
            return false;
        Flags = text[0] == '[' ? RangeFlags.LowerInclusive : RangeFlags.None;
        text = text[1..];
        TakeBound(ref text, _lower, RangeFlags.LowerInfinite);
        if (TakeOneOf(ref text, ",") == 0)
            return false;
        TakeBound(ref text, _upper, RangeFlags.UpperInfinite);
        var bracket = TakeOneOf(ref text, "])");
        if (bracket == ']')
            Flags |= RangeFlags.UpperInclusive;
        text = text.TrimStart(AsciiBlanks.AllBytes);
        return bracket != 0;
    }

    private static string Quote(string? bound) => bound is null ? "" : TextQuoting.Doubling(bound, Special);

    private static byte TakeOneOf(ref ReadOnlySpan<byte> text, string expected)
    {
        if (text.IsEmpty || !expected.Contains((char)text[0], StringComparison.Ordinal))
            return 0;
        var taken = text[0];
        text = text[1..];
        return taken;
    }

    // Nothing at all is no bound; quotes with nothing in them are an empty one.
    private void TakeBound(ref ReadOnlySpan<byte> text, MessageWriter bound, RangeFlags infinite)
    {
        if (text is [(byte)',' or (byte)']' or (byte)')', ..])
            Flags |= infinite;
        text = TextQuoting.Take(text, ",])"u8, bound);
    }
}
