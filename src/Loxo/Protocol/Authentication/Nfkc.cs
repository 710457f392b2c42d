namespace Loxo.Protocol.Authentication;

/// <summary>Normalization form KC (UAX 15). The framework's own returns its input unchanged under InvariantGlobalization.</summary>
internal sealed class Nfkc
{
    // Hangul syllables are composed by arithmetic (The Unicode Standard, section 3.12).
    private const int SyllableBase = 0xAC00;
    private const int LeadingBase = 0x1100;
    private const int VowelBase = 0x1161;
    private const int TrailingBase = 0x11A7;
    private const int LeadingCount = 19;
    private const int VowelCount = 21;
    private const int TrailingCount = 28;
    private const int SyllableCount = LeadingCount * VowelCount * TrailingCount;

    private readonly Dictionary<int, int[]> _decompositions = [];
    private readonly Dictionary<(int First, int Second), int> _compositions = [];
    private readonly Dictionary<int, byte> _combiningClasses = [];

    public Nfkc()
    {
        LoadDecompositions();
        LoadCombiningClasses();
    }

    public List<int> Normalize(List<int> codePoints)
    {
        var result = new List<int>(codePoints.Count);
        foreach (var codePoint in codePoints)
            Decompose(codePoint, result);
        Reorder(result);
        Compose(result);
        return result;
    }

    private void Decompose(int codePoint, List<int> into)
    {
        if (codePoint - SyllableBase is >= 0 and < SyllableCount and var syllable)
        {
            into.Add(LeadingBase + syllable / (VowelCount * TrailingCount));
            into.Add(VowelBase + syllable % (VowelCount * TrailingCount) / TrailingCount);
            if (syllable % TrailingCount is not 0 and var trailing)
                into.Add(TrailingBase + trailing);
        }
        else if (_decompositions.TryGetValue(codePoint, out var parts))
        {
            foreach (var part in parts)
                Decompose(part, into);
        }
        else
        {
            into.Add(codePoint);
        }
    }

    /// <summary>Sorts each run of combining characters by class; equal classes keep their order.</summary>
    private void Reorder(List<int> codePoints)
    {
        for (var i = 1; i < codePoints.Count; i++)
        {
            var moved = codePoints[i];
            var movedClass = CombiningClass(moved);
            if (movedClass == 0)
                continue;
            var target = i;
            while (target > 0 && CombiningClass(codePoints[target - 1]) > movedClass)
            {
                codePoints[target] = codePoints[target - 1];
                target--;
            }
            codePoints[target] = moved;
        }
    }

    /// <summary>Joins each character to the last starter unless one between them blocks it: one of the same or a higher class.</summary>
    private void Compose(List<int> codePoints)
    {
        const int nothingBetween = -1;
        var starter = 0;
        var lastClass = nothingBetween;
        var kept = Math.Min(1, codePoints.Count);
        for (var i = 1; i < codePoints.Count; i++)
        {
            var current = codePoints[i];
            var currentClass = CombiningClass(current);
            if (lastClass < currentClass && ComposePair(codePoints[starter], current) is { } composed)
            {
                codePoints[starter] = composed;
                continue;
            }
            lastClass = currentClass;
            if (currentClass == 0)
            {
                starter = kept;
                lastClass = nothingBetween;
            }
            codePoints[kept++] = current;
        }
        codePoints.RemoveRange(kept, codePoints.Count - kept);
    }

    private int? ComposePair(int first, int second)
    {
        if (first - LeadingBase is >= 0 and < LeadingCount and var leading && second - VowelBase is >= 0 and < VowelCount and var vowel)
            return SyllableBase + (leading * VowelCount + vowel) * TrailingCount;
        var isOpenSyllable = first - SyllableBase is >= 0 and < SyllableCount and var syllable && syllable % TrailingCount == 0;
        if (isOpenSyllable && second - TrailingBase is > 0 and < TrailingCount and var trailing)
            return first + trailing;
        return _compositions.TryGetValue((first, second), out var composed) ? composed : null;
    }

    private int CombiningClass(int codePoint) => _combiningClasses.GetValueOrDefault(codePoint);

    private void LoadDecompositions()
    {
        var scanner = new SaslPrepScanner(SaslPrepTables.Decompositions);
        var parts = new List<int>();
        var codePoint = 0;
        while (scanner.HasMore())
        {
            codePoint += scanner.ReadNumber(otherwise: 1);
            var composesAgain = scanner.ReadMark() == '=';
            parts.Clear();
            do
                parts.Add(scanner.ReadNumber(otherwise: 0));
            while (scanner.TryReadMark(' '));

            _decompositions.Add(codePoint, [.. parts]);
            if (composesAgain)
                _compositions.Add((parts[0], parts[1]), codePoint);
            for (var more = ReadCount(ref scanner); more > 1; more--)
                _decompositions.Add(++codePoint, [++parts[0]]);
        }
    }

    private void LoadCombiningClasses()
    {
        var scanner = new SaslPrepScanner(SaslPrepTables.CombiningClasses);
        var codePoint = 0;
        while (scanner.HasMore())
        {
            codePoint += scanner.ReadNumber(otherwise: 1);
            scanner.ReadMark();
            var combiningClass = (byte)scanner.ReadNumber(otherwise: 0);
            _combiningClasses.Add(codePoint, combiningClass);
            for (var more = ReadCount(ref scanner); more > 1; more--)
                _combiningClasses.Add(++codePoint, combiningClass);
        }
    }

    private static int ReadCount(ref SaslPrepScanner scanner) => scanner.TryReadMark('*') ? scanner.ReadNumber(otherwise: 1) : 1;
}
