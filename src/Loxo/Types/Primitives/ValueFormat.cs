namespace Loxo.Types;

/// <summary>Shared parsing and formatting of the public value types.</summary>
internal static class ValueFormat
{
    /// <summary>There is one form, the server's, for which format strings say nothing or "G".</summary>
    public static void Check(ReadOnlySpan<char> format)
    {
        if (!(format.IsEmpty || format is "G" or "g"))
            throw new FormatException($"The format '{format}' is not known; give none, or G.");
    }

    public static string Show<T>(T value, string? format)
        where T : notnull
    {
        Check(format);
        return value.ToString()!;
    }

    public static bool TryShow<T>(T value, ReadOnlySpan<char> format, Span<char> destination, out int charsWritten)
        where T : notnull
    {
        Check(format);
        return TryCopy(value.ToString()!, destination, out charsWritten);
    }

    public static int Hash<T>(ReadOnlySpan<T> parts)
    {
        var hash = new HashCode();
        foreach (var part in parts)
            hash.Add(part);
        return hash.ToHashCode();
    }

    public static int Compare<T>(T value, object? other)
        where T : struct, IComparable<T> => other switch
        {
            null => 1,
            T same => value.CompareTo(same),
            _ => throw new ArgumentException($"A {typeof(T).Name} cannot be compared with a {other.GetType()}.", "obj"),
        };

    public static bool TryCopy(string text, Span<char> destination, out int charsWritten)
    {
        var fits = text.TryCopyTo(destination);
        charsWritten = fits ? text.Length : 0;
        return fits;
    }

    public static FormatException NotA(string type, ReadOnlySpan<char> text, string expected) => new(string.Create(
        CultureInfo.InvariantCulture,
            $"The text '{(text.Length <= 40 ? text : string.Concat(text[..40], "..."))}' is not a {type}. Give {expected}."));

    /// <exception cref="ArgumentNullException">There is no text.</exception>
    /// <exception cref="FormatException">The text is no value of the type.</exception>
    public static T Parse<T>(string s, string example)
        where T : ISpanParsable<T>
    {
        ArgumentNullException.ThrowIfNull(s);
        return Parse<T>(s.AsSpan(), example);
    }

    /// <exception cref="FormatException">The text is no value of the type.</exception>
    public static T Parse<T>(ReadOnlySpan<char> text, string example)
        where T : ISpanParsable<T> => T.TryParse(text, CultureInfo.InvariantCulture, out var value)
            ? value
            : throw new FormatException($"The text '{text}' is not a value of {typeof(T).Name}, which looks like {example}.");
}
