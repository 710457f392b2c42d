namespace Loxo.Types;

/// <summary>What the server's input functions skip: blanks of ASCII (isspace), and no other white space of .NET.</summary>
internal static class AsciiBlanks
{
    public const string All = " \t\n\v\f\r";

    public static ReadOnlySpan<byte> AllBytes => " \t\n\v\f\r"u8;

    public static bool Contains(char character) => character is ' ' or (>= '\t' and <= '\r');

    public static ReadOnlySpan<char> Trim(ReadOnlySpan<char> text) => text.Trim(All);

    /// <summary>Encodes text in UTF-8; false if it does not fit, or holds a NUL or half of a surrogate pair.</summary>
    public static bool TryEncode(ReadOnlySpan<char> text, Span<byte> bytes, out int length) =>
        System.Text.Unicode.Utf8.FromUtf16(text, bytes, out _, out length, replaceInvalidSequences: false) == OperationStatus.Done
        && !text.Contains('\0');
}
