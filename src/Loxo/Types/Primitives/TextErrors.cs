namespace Loxo.Types;

internal static class TextErrors
{
    private const int ShownBytes = 40;

    public static PgException Malformed(string type, ReadOnlySpan<byte> text, string? remedy = null)
    {
        var shown = Encoding.UTF8.GetString(text[..Math.Min(text.Length, ShownBytes)]);
        var dots = text.Length > ShownBytes ? "..." : "";
        return TypeErrors.Malformed(type, $"the text is '{shown}'{dots}{(remedy is null ? "" : "; " + remedy)}");
    }
}
