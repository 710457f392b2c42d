using System.Globalization;

namespace Loxo.Types;

/// <summary>What the formatting of the public types has in common.</summary>
internal static class ValueFormat
{
    /// <summary>There is one form, the server's, for which format strings say nothing or "G".</summary>
    public static void Check(ReadOnlySpan<char> format)
    {
        if (!(format.IsEmpty || format is "G" or "g"))
            throw new FormatException($"The format '{format}' is not known; give none, or G.");
    }

    /// <summary>The text if there is room for it.</summary>
    public static bool TryCopy(string text, Span<char> destination, out int charsWritten)
    {
        var fits = text.TryCopyTo(destination);
        charsWritten = fits ? text.Length : 0;
        return fits;
    }

    /// <summary>The error of a Parse.</summary>
    public static FormatException NotA(string type, ReadOnlySpan<char> text, string expected) => new(string.Create(
        CultureInfo.InvariantCulture, $"The text '{(text.Length <= 40 ? text : string.Concat(text[..40], "..."))}' is not a {type}. Give {expected}."));
}
