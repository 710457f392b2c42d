namespace Loxo.Settings;

/// <summary>The errors name the keyword and the offending part, and never a part that may hold a password.</summary>
internal static class SettingsErrors
{
    private const int LongestShown = 60;
    private static readonly string[] _passwordSigns = ["password=", "psw=", "pwd=", "://", "@"];

    public static ArgumentException CannotSet(Keyword keyword, string text, string expected, string? source) =>
        new(keyword.IsSecret
            ? $"Couldn't set '{keyword.Name}'{From(source)}: expected {expected}."
            : $"Couldn't set '{keyword.Name}' to {Show(text)}{From(source)}: expected {expected}.");

    public static ArgumentException NulCharacter(Keyword keyword, int position, string? source) =>
        new(string.Create(CultureInfo.InvariantCulture,
            $"Couldn't set '{keyword.Name}'{From(source)}: character {position + 1} of the value is NUL, which PostgreSQL cannot take."));

    /// <summary>The sentence of <see cref="NotSupported(IEnumerable{string})"/> for one keyword.</summary>
    public static string NotSupported(Keyword keyword, string text, string feature, string rule, string? source)
    {
        var asked = keyword.IsSecret ? keyword.Name : $"{keyword.Name}={Shorten(text)}";
        return $"'{asked}'{From(source)} asks for {feature}, which is not supported: '{keyword.Name}' {rule}.";
    }

    public static NotSupportedException NotSupported(IEnumerable<string> refusals) => new(string.Join(' ', refusals));

    public static ArgumentException Missing(Keyword keyword, string advice) => new($"'{keyword.Name}' is not set. {advice}");

    public static ArgumentException ServiceNotFound(string service, IEnumerable<string> files) => new(
        $"'{Keywords.Service.Name}' names {Show(service)}, which is not defined in {string.Join(" or ", files)}. "
        + $"Add a section [{Shorten(service)}] to the file, or name another one in '{Keywords.ServiceFile.Name}' or PGSERVICEFILE.");

    public static ArgumentException MalformedService(string place, string fault) => new($"The service file has {fault} in {place}.");

    public static ArgumentException NoHost(int port, IReadOnlyList<string> directories) => Missing(Keywords.Host, directories.Count == 0
        ? "Add Host=... to the connection string or set PGHOST."
        : string.Create(CultureInfo.InvariantCulture,
            $"There is no socket of a server for port {port} in {string.Join(" or ", directories)}: add Host=... or set PGHOST."));

    public static ArgumentException Contradiction(Keyword keyword, string fault) => new($"'{keyword.Name}' {fault}");

    public static ArgumentException UnknownKeyword(string name) => new($"Unknown keyword {Show(name)}.{Suggestion(name)}");

    /// <summary>Right after a secret, a name may be the rest of that secret, cut off at a semicolon.</summary>
    public static ArgumentException UnknownKeyword(KeyValuePart part, Keyword? before) =>
        before is { IsSecret: true } && Keywords.Nearest(part.Name) is null
            ? Malformed($"has an unknown keyword {At(part.Position)}, right after the value of '{before.Name}'. {QuoteIt(before)}")
            : Malformed($"has the unknown keyword {Show(part.Name)} {At(part.Position)}.{Suggestion(part.Name)}");

    public static ArgumentException NoEquals(string piece, int position, Keyword? before) =>
        before is { IsSecret: true }
            ? Malformed($"has no '=' in the part {At(position)}, right after the value of '{before.Name}'. {QuoteIt(before)}")
            : Malformed($"has no '=' after {Show(piece)} {At(position)}. Write keyword=value pairs with ';' between them.");

    public static ArgumentException Malformed(string fault) => new("The connection string " + fault);

    public static ArgumentException MalformedUri(string fault) => new("The connection URI " + fault);

    public static ArgumentException UnknownParameter(string name, string shown) =>
        MalformedUri($"has the unknown parameter {shown}.{Suggestion(name)}");

    public static string At(int position) => string.Create(CultureInfo.InvariantCulture, $"at character {position + 1}");

    /// <summary>Not shown when a password may have slipped in, as in "Host=localhost user=me password=secret".</summary>
    public static string Show(string text, bool mayHoldPassword = false) =>
        mayHoldPassword || HasPasswordSign(text.Replace(" ", "", StringComparison.Ordinal))
            ? "a text that is not shown because it may hold a password"
            : $"'{Shorten(text)}'";

    private static bool HasPasswordSign(string text) => _passwordSigns.Any(sign => text.Contains(sign, StringComparison.OrdinalIgnoreCase));

    private static string Shorten(string text)
    {
        var shown = text.Length <= LongestShown ? text : string.Concat(text.AsSpan(0, LongestShown), "...");
        return string.Concat(shown.Select(static c => char.IsControl(c) ? '?' : c));
    }

    private static string From(string? source) => source is null ? "" : $" (from {source})";

    private static string QuoteIt(Keyword keyword) => $"A value that contains ';' has to be quoted: {keyword.Name}=\"...\".";

    private static string Suggestion(string name) => Keywords.Nearest(name) is { } nearest ? $" Did you mean '{nearest.Name}'?" : "";
}
