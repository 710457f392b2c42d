namespace Loxo.Protocol.Authentication;

/// <summary>As PostgreSQL does (pg_saslprep, saslprep.c): RFC 4013, but what is prohibited is looked for first.</summary>
// Compared with a server for every character of the first two planes.
internal static class SaslPrep
{
    /// <summary>The password itself if the rules do not permit it: then the server has stored it as it is.</summary>
    public static string Prepare(string password) => Ascii.IsValid(password) ? password : PrepareUnicode(password) ?? password;

    private static string? PrepareUnicode(string password)
    {
        // The tables are loaded anew each time: few passwords need them, and the derived keys are cached.
        var classes = new SaslPrepClasses();
        if (Map(password, classes) is not { Count: > 0 } mapped || !IsPermitted(mapped, classes))
            return null;

        var prepared = new StringBuilder();
        foreach (var codePoint in new Nfkc().Normalize(mapped))
            prepared.Append(char.ConvertFromUtf32(codePoint));
        return prepared.ToString();
    }

    /// <summary>The code points with spaces replaced and invisible characters left out; null if a surrogate stands alone.</summary>
    private static List<int>? Map(string password, SaslPrepClasses classes)
    {
        var mapped = new List<int>(password.Length);
        for (var i = 0; i < password.Length; i++)
        {
            if (!Rune.TryGetRuneAt(password, i, out var rune))
                return null;
            i += rune.Utf16SequenceLength - 1;
            switch (classes.Of(rune.Value))
            {
                case SaslPrepClass.Space:
                    mapped.Add(' ');
                    break;
                case SaslPrepClass.MapsToNothing:
                    break;
                default:
                    mapped.Add(rune.Value);
                    break;
            }
        }
        return mapped;
    }

    private static bool IsPermitted(List<int> codePoints, SaslPrepClasses classes)
    {
        bool Is(int codePoint, SaslPrepClass wanted) => classes.Of(codePoint) == wanted;

        if (codePoints.Exists(codePoint => Is(codePoint, SaslPrepClass.Prohibited)))
            return false;
        // RFC 3454 section 6: a text with right-to-left characters begins and ends with one, and has no left-to-right ones.
        return !codePoints.Exists(codePoint => Is(codePoint, SaslPrepClass.RightToLeft))
            || (!codePoints.Exists(codePoint => Is(codePoint, SaslPrepClass.LeftToRight))
                && Is(codePoints[0], SaslPrepClass.RightToLeft)
                && Is(codePoints[^1], SaslPrepClass.RightToLeft));
    }
}

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

/// <summary>Reads the hexadecimal numbers and marks of <see cref="SaslPrepTables"/>.</summary>
internal ref struct SaslPrepScanner(ReadOnlySpan<byte> text)
{
    private ReadOnlySpan<byte> _rest = text;

    public bool HasMore()
    {
        _rest = _rest.TrimStart(" ;\r\n"u8);
        return !_rest.IsEmpty;
    }

    public int ReadNumber(int otherwise)
    {
        var length = _rest.IndexOfAnyExcept("0123456789abcdef"u8);
        if (length == 0)
            return otherwise;
        var number = int.Parse(_rest[..length], NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture);
        _rest = _rest[length..];
        return number;
    }

    public char ReadMark()
    {
        var mark = (char)_rest[0];
        _rest = _rest[1..];
        return mark;
    }

    public bool TryReadMark(char mark)
    {
        if (_rest[0] != mark)
            return false;
        _rest = _rest[1..];
        return true;
    }
}
