using System.Globalization;

namespace Loxo.Types;

/// <summary>What the public value types share in reading and showing text.</summary>
internal static class ValueText
{
    /// <exception cref="FormatException">It is not.</exception>
    public static T Parse<T>(ReadOnlySpan<char> text, string example)
        where T : ISpanParsable<T> => T.TryParse(text, CultureInfo.InvariantCulture, out var value)
            ? value
            : throw new FormatException($"The text '{text}' is not a value of {typeof(T).Name}, which looks like {example}.");
}
