using Loxo.Protocol.Authentication;

namespace Loxo.Settings;

/// <summary>The Require Auth keyword: a comma list of methods, all wanted or all negated with '!', in our spelling or libpq's.</summary>
internal static class RequireAuthList
{
    private static readonly (string Word, AuthenticationMethods Method)[] _words =
    [
        ("Password", AuthenticationMethods.Password),
        ("MD5", AuthenticationMethods.MD5),
        ("GSS", AuthenticationMethods.Gss),
        ("SSPI", AuthenticationMethods.Sspi),
        ("ScramSHA256", AuthenticationMethods.ScramSha256),
        ("OAuth", AuthenticationMethods.OAuth),
        ("None", AuthenticationMethods.None),
    ];

    private static readonly string _allWords = string.Join(", ", _words.Select(pair => pair.Word));

    /// <summary>Null when the text is such a list; otherwise what was expected.</summary>
    public static string? Check(string text) => Read(text, out _, out _);

    /// <summary>The methods that a valid text allows (see <see cref="Check"/>); null allows all.</summary>
    public static AuthenticationMethods Parse(string? text)
    {
        if (text is null)
            return AuthenticationMethods.All;
        Read(text, out var named, out var negated);
        return negated ? AuthenticationMethods.All & ~named : named;
    }

    private static string? Read(string text, out AuthenticationMethods named, out bool negated)
    {
        named = default;
        negated = text.TrimStart().StartsWith('!');
        foreach (var part in text.Split(','))
        {
            var word = part.Trim();
            if (word.StartsWith('!') != negated)
                return "either only methods to allow or only methods to refuse, each with '!'";
            var spelled = negated ? word[1..] : word;
            var found = _words.FirstOrDefault(pair => Spelling.SameWord(pair.Word, spelled));
            if (found.Word is null)
                return $"a comma list of {_allWords}; {SettingsErrors.Show(word)} is none of them";
            named |= found.Method;
        }
        return null;
    }
}
