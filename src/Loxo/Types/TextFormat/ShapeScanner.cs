using System.Globalization;

namespace Loxo.Types.TextFormat;

/// <summary>
/// Takes the text of a geometric value apart, from left to right. As for the server, blanks between the parts do not count (geo_ops.c).
/// </summary>
internal ref struct ShapeScanner(ReadOnlySpan<char> text)
{
    private ReadOnlySpan<char> _rest = text.Trim();

    public readonly bool IsAtEnd => _rest.IsEmpty;

    public bool TryTake(char expected)
    {
        if (_rest.IsEmpty || _rest[0] != expected)
            return false;
        _rest = _rest[1..].TrimStart();
        return true;
    }

    public bool TryTakeNumber(out double number)
    {
        var length = _rest.IndexOfAny(",()[]{}<>") is >= 0 and var end ? end : _rest.Length;
        var isNumber = double.TryParse(_rest[..length], NumberStyles.Float, CultureInfo.InvariantCulture, out number);
        _rest = _rest[length..];
        return isNumber;
    }

    /// <summary>(x,y)</summary>
    public bool TryTakePoint(out PgPoint point)
    {
        double y = 0;
        var isPoint = TryTake('(') & TryTakeNumber(out var x) && TryTake(',') && TryTakeNumber(out y) && TryTake(')');
        point = new PgPoint(x, y);
        return isPoint;
    }

    /// <summary>(x,y),(x,y)</summary>
    public bool TryTakeTwo(out PgPoint first, out PgPoint second)
    {
        second = default;
        return TryTakePoint(out first) && TryTake(',') && TryTakePoint(out second);
    }

    /// <summary>Points with commas between them, one at least.</summary>
    public bool TryTakePoints(out PgPoint[] points)
    {
        var found = new List<PgPoint>();
        points = [];
        do
        {
            if (!TryTakePoint(out var point))
                return false;
            found.Add(point);
        }
        while (TryTake(','));
        points = [.. found];
        return true;
    }
}
