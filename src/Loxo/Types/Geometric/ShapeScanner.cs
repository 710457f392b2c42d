namespace Loxo.Types;

/// <summary>
/// Takes the text of a geometric value apart, from left to right, as the server does it (single_decode, pair_decode and path_decode,
/// geo_ops.c): parentheses and the comma between points may be left out, and blanks may stand around numbers, in front of points and behind
/// closing brackets.
/// </summary>
internal ref struct ShapeScanner(ReadOnlySpan<char> text, string blanks = AsciiBlanks.All)
{
    private ReadOnlySpan<char> _rest = text;

    public readonly bool IsAtEnd => _rest.IsEmpty;

    /// <summary>How many points the text has: half as many as numbers with commas between them; 0 if their number is odd.</summary>
    public static int CountPoints(ReadOnlySpan<char> text)
    {
        var commas = text.Count(',');
        return commas % 2 == 1 ? (commas + 1) / 2 : 0;
    }

    public readonly char Next => IsAtEnd ? '\0' : _rest[0];

    public void SkipBlanks() => _rest = _rest.TrimStart(blanks);

    public bool TryTake(char expected)
    {
        if (_rest.IsEmpty || _rest[0] != expected)
            return false;
        _rest = _rest[1..];
        return true;
    }

    public bool TryTakeEnd(char expected)
    {
        if (!TryTake(expected))
            return false;
        SkipBlanks();
        return true;
    }

    public bool TryTakeNumber(out double number)
    {
        SkipBlanks();
        var isNumber = FloatText.TryTake(_rest, out number, out var length);
        _rest = _rest[length..];
        SkipBlanks();
        return isNumber;
    }

    public bool TryTakePoint(out PgPoint point)
    {
        double y = 0;
        SkipBlanks();
        var isEnclosed = TryTake('(');
        var isPoint = TryTakeNumber(out var x) && TryTake(',') && TryTakeNumber(out y) && (!isEnclosed || TryTakeEnd(')'));
        point = new PgPoint(x, y);
        return isPoint;
    }

    /// <summary>As many points as there is room for, in brackets, parentheses or neither.</summary>
    public bool TryTakePoints(scoped Span<PgPoint> points, bool mayBeOpen, out bool isOpen)
    {
        SkipBlanks();
        isOpen = TryTake('[');
        if (isOpen && !mayBeOpen)
            return false;
        var depth = isOpen || TryTakeOuterParenthesis() ? 1 : 0;
        foreach (ref var point in points)
        {
            if (!TryTakePoint(out point))
                return false;
            TryTake(',');
        }
        return depth == 0 || (isOpen && TryTakeEnd(']')) || TryTakeEnd(')');
    }

    /// <summary>Takes a parenthesis around all points, which another follows, or which is the only one in the text.</summary>
    public bool TryTakeOuterParenthesis()
    {
        if (_rest is not ['(', .. var inner])
            return false;
        var isOuter = inner.TrimStart(blanks) is ['(', ..] || inner.IndexOf('(') < 0;
        if (isOuter)
            _rest = inner.TrimStart(blanks);
        return isOuter;
    }

    public bool TryTakeFirstOfTwoParentheses()
    {
        if (_rest is not ['(', .. var inner] || inner.TrimStart(blanks) is not ['(', ..] next)
            return false;
        _rest = next;
        return true;
    }

    public bool TryTakeOnlyParenthesis() => _rest.LastIndexOf('(') == 0 && TryTake('(');
}
