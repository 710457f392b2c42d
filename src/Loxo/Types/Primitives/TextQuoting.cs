namespace Loxo.Types;

/// <summary>Parts of composed values, in quotes where they could be taken for something else.</summary>
internal static class TextQuoting
{
    /// <summary>As ranges and records do it: quotes and backslashes are doubled.</summary>
    public static string Doubling(string text, string special) => text.Length > 0 && text.AsSpan().IndexOfAny(special) < 0
        ? text
        : "\"" + text.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\"", "\"\"", StringComparison.Ordinal) + "\"";

    /// <summary>Takes such a part, up to an end outside of quotes; a backslash quotes a character. Returns the rest.</summary>
    public static ReadOnlySpan<byte> Take(ReadOnlySpan<byte> text, ReadOnlySpan<byte> ends, MessageWriter part)
    {
        var isQuoted = false;
        while (text is [var first, ..] && (isQuoted || !ends.Contains(first)))
        {
            var isEscaped = first == '\\' || (isQuoted && text is [(byte)'"', (byte)'"', ..]);
            if (first == '"' && !isEscaped)
                isQuoted = !isQuoted;
            else if (isEscaped && text.Length < 2)
                return [];
            else
                part.WriteByte(isEscaped ? text[1] : first);
            text = text[(isEscaped ? 2 : 1)..];
        }
        return text;
    }

    /// <summary>As arrays do it: quotes and backslashes get a backslash, and the word NULL is quoted.</summary>
    public static string Escaping(string text, string special) =>
        text.Length > 0 && text.AsSpan().IndexOfAny(special) < 0 && !text.Equals("NULL", StringComparison.OrdinalIgnoreCase)
            ? text
            : "\"" + text.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\"", "\\\"", StringComparison.Ordinal) + "\"";
}
