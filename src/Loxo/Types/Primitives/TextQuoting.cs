namespace Loxo.Types;

/// <summary>Parts of composed values, in quotes where they could be taken for something else.</summary>
internal static class TextQuoting
{
    /// <summary>As ranges and records do it: quotes and backslashes are doubled.</summary>
    public static string Doubling(string text, string special) => text.Length > 0 && text.AsSpan().IndexOfAny(special) < 0
        ? text
        : "\"" + text.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\"", "\"\"", StringComparison.Ordinal) + "\"";

    /// <summary>As arrays do it: quotes and backslashes get a backslash, and the word NULL is quoted.</summary>
    public static string Escaping(string text, string special) =>
        text.Length > 0 && text.AsSpan().IndexOfAny(special) < 0 && !text.Equals("NULL", StringComparison.OrdinalIgnoreCase)
            ? text
            : "\"" + text.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\"", "\\\"", StringComparison.Ordinal) + "\"";
}
