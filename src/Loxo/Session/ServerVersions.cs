namespace Loxo.Session;

/// <summary>Servers write their version in many ways: "18.4", "15.18 (Debian 15.18-0+deb12u1)", "17beta1", "16.1-vendor".</summary>
internal static class ServerVersions
{
    /// <summary>The numbers at the start; 0.0 when there are none.</summary>
    public static Version Parse(string text)
    {
        var end = 0;
        while (end < text.Length && (char.IsAsciiDigit(text[end]) || text[end] == '.'))
            end++;
        var numbers = text[..end].Trim('.');
        if (!numbers.Contains('.', StringComparison.Ordinal))
            numbers += ".0";
        return Version.TryParse(numbers, out var version) ? version : new Version(0, 0);
    }
}
