namespace Loxo.Protocol.Authentication;

/// <summary>
/// Prepares a password exactly as PostgreSQL does when it stores one (pg_saslprep, src/common/saslprep.c): by RFC 4013, except that what is
/// prohibited is looked for before the normalization. Compared with a server for every character of two planes.
/// </summary>
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
