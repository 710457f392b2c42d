using System.Buffers;

namespace Loxo.Types;

/// <summary>
/// The characters that the server's input functions skip: blanks of ASCII (isspace), and no other character that .NET takes for white
/// space.
/// </summary>
internal static class AsciiBlanks
{
    public const string All = " \t\n\v\f\r";

    public static ReadOnlySpan<byte> AllBytes => " \t\n\v\f\r"u8;

    public static bool Contains(char character) => character is ' ' or (>= '\t' and <= '\r');

    public static ReadOnlySpan<char> Trim(ReadOnlySpan<char> text) => text.Trim(All);

    public static ReadOnlySpan<char> TrimStart(ReadOnlySpan<char> text) => text.TrimStart(All);

    /// <summary>
    /// The text as the bytes of UTF-8; false if it does not fit, or is no text of the server: a NUL or half of a surrogate pair is in it.
    /// </summary>
    public static bool TryEncode(ReadOnlySpan<char> text, Span<byte> bytes, out int length) =>
        System.Text.Unicode.Utf8.FromUtf16(text, bytes, out _, out length, replaceInvalidSequences: false) == OperationStatus.Done
        && !text.Contains('\0');
}
