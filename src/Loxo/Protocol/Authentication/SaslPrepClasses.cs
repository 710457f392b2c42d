namespace Loxo.Protocol.Authentication;

internal enum SaslPrepClass : byte
{
    Neutral = (byte)'N',
    /// <summary>Not allowed: a control, private use, unassigned in Unicode 3.2 and the like (RFC 3454 tables A.1 and C).</summary>
    Prohibited = (byte)'P',
    /// <summary>A space that is mapped to U+0020 (table C.1.2).</summary>
    Space = (byte)'S',
    /// <summary>Left out (table B.1).</summary>
    MapsToNothing = (byte)'M',
    /// <summary>Written from right to left (table D.1).</summary>
    RightToLeft = (byte)'R',
    /// <summary>Written from left to right (table D.2).</summary>
    LeftToRight = (byte)'L',
}

internal sealed class SaslPrepClasses
{
    private readonly List<int> _starts = [];
    private readonly List<SaslPrepClass> _classes = [];

    public SaslPrepClasses()
    {
        var scanner = new SaslPrepScanner(SaslPrepTables.Classes);
        while (scanner.HasMore())
        {
            _starts.Add(scanner.ReadNumber(otherwise: 0));
            _classes.Add((SaslPrepClass)scanner.ReadMark());
        }
    }

    public SaslPrepClass Of(int codePoint)
    {
        var index = _starts.BinarySearch(codePoint);
        return _classes[index >= 0 ? index : ~index - 1];
    }
}
