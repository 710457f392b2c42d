using System.Buffers;

namespace Loxo.Types;

/// <summary>bytea in its hexadecimal form, \x and two digits a byte (manual, "Binary Data Types").</summary>
internal sealed class ByteaTextFormat : TextFormat
{
    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        if (!text.StartsWith("\\x"u8) || text.Length % 2 != 0)
            throw TypeErrors.Malformed("bytea", text, "bytea_output has to be hex");
        var digits = text[2..];
        var bytes = binary.Reserve(digits.Length / 2);
        if (Convert.FromHexString(digits, bytes, out _, out _) != OperationStatus.Done)
            throw TypeErrors.Malformed("bytea", text);
    }

    public override string ToText(ReadOnlySpan<byte> binary) => "\\x" + Convert.ToHexStringLower(binary);
}
