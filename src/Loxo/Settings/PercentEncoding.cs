using System.Buffers;

namespace Loxo.Settings;

/// <summary>Decodes %XX. Stricter than <see cref="Uri.UnescapeDataString(string)"/>, which lets a malformed escape through.</summary>
internal static class PercentEncoding
{
    private static readonly UTF8Encoding _strictUtf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    public static string Decode(string text, string part, bool isSecret)
    {
        if (!text.Contains('%', StringComparison.Ordinal))
            return text;
        var bytes = new ArrayBufferWriter<byte>(text.Length);
        for (var position = 0; position < text.Length;)
            position += text[position] == '%' ? DecodeEscape(text, position, part, isSecret, bytes) : Copy(text, position, bytes);
        try
        {
            return _strictUtf8.GetString(bytes.WrittenSpan);
        }
        catch (DecoderFallbackException)
        {
            throw SettingsErrors.MalformedUri($"has a {part} whose percent-encoded bytes are not UTF-8.");
        }
    }

    private static int DecodeEscape(string text, int position, string part, bool isSecret, ArrayBufferWriter<byte> bytes)
    {
        var escape = text.Substring(position, Math.Min(3, text.Length - position));
        var digits = escape.AsSpan(1);
        if (digits.Length < 2 || !byte.TryParse(digits, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var value))
        {
            var shown = isSecret ? "" : $" {SettingsErrors.Show(escape)}";
            throw SettingsErrors.MalformedUri(
                $"has a malformed escape{shown} in its {part}: expected '%' and two hexadecimal digits (%25 for a '%').");
        }
        if (value == 0)
            throw SettingsErrors.MalformedUri($"has %00 in its {part}: PostgreSQL cannot take a NUL character.");
        bytes.Write([value]);
        return 3;
    }

    // Up to the next escape at once, so that surrogate pairs stay together.
    private static int Copy(string text, int position, ArrayBufferWriter<byte> bytes)
    {
        var next = text.IndexOf('%', position);
        var plain = text.AsSpan(position, (next < 0 ? text.Length : next) - position);
        Encoding.UTF8.GetBytes(plain, bytes);
        return plain.Length;
    }
}
