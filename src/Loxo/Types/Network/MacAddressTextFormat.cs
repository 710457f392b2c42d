namespace Loxo.Types;

/// <summary>macaddr and macaddr8: two digits a byte, with colons between them (macaddr_out, mac.c); dashes are read too.</summary>
internal sealed class MacAddressTextFormat(string type, int length) : TextFormat
{
    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        if (text.Length != 3 * length - 1)
            throw TypeErrors.Malformed(type, text);
        for (var i = 0; i < length; i++)
        {
            var isSeparated = i == 0 || (text[3 * i - 1] is (byte)':' or (byte)'-' && text[3 * i - 1] == text[2]);
            if (!isSeparated || !byte.TryParse(text.Slice(3 * i, 2), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture,
                out var part))
                throw TypeErrors.Malformed(type, text);
            binary.WriteByte(part);
        }
    }

    public override string ToText(ReadOnlySpan<byte> binary)
    {
        FixedBytes.Exactly(length, binary, type);
        var parts = new string[length];
        for (var i = 0; i < length; i++)
            parts[i] = binary[i].ToString("x2", CultureInfo.InvariantCulture);
        return string.Join(':', parts);
    }
}
