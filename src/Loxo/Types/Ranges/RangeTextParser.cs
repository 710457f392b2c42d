namespace Loxo.Types;

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
