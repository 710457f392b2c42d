namespace Loxo.Types;

/// <summary>boolean: one byte, 0 or 1.</summary>
internal sealed class BoolCodec : ValueCodec<bool>
{
    public override bool Read(ReadOnlySpan<byte> value) => FixedBytes.Read<byte>(value, "boolean") != 0;

    public override void Write(MessageWriter writer, bool value) => writer.WriteByte(value ? (byte)1 : (byte)0);
}

/// <summary>boolean: t or f.</summary>
internal sealed class BoolTextFormat : TextFormat
{
    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text) => binary.WriteByte(
        text.Trim(AsciiBlanks.AllBytes) switch
        {
            [(byte)'t'] => 1,
            [(byte)'f'] => 0,
            _ => throw TypeErrors.Malformed("boolean", text),
        });

    public override string ToText(ReadOnlySpan<byte> binary) => FixedBytes.Read<byte>(binary, "boolean") == 0 ? "f" : "t";
}

/// <summary>void, the result of a function that has none: no bytes (void_send, pseudotypes.c), read as DBNull.</summary>
internal sealed class VoidCodec : ReferenceCodec<DBNull>
{
    // No DataTable can have a column of the type DBNull.
    internal override Type UntypedType => typeof(object);

    public override DBNull Read(ReadOnlySpan<byte> value)
    {
        FixedBytes.Exactly(0, value, "void");
        return DBNull.Value;
    }

    public override void Write(MessageWriter writer, DBNull value)
    {
        // Nothing to write: a value of type void has no content.
    }
}

/// <summary>uuid: 16 bytes, most significant first.</summary>
internal sealed class UuidCodec : ValueCodec<Guid>
{
    public override Guid Read(ReadOnlySpan<byte> value) => new(FixedBytes.Exactly(16, value, "uuid"), bigEndian: true);

    public override void Write(MessageWriter writer, Guid value) => value.TryWriteBytes(writer.Reserve(16), bigEndian: true, out _);
}

internal sealed class UuidTextFormat : TextFormat
{
    private readonly UuidCodec _codec = new();

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        // Guid takes blanks, parentheses and hexadecimal prefixes, too.
        if (text.ContainsAnyExcept("0123456789abcdefABCDEF-{}"u8) || !Guid.TryParse(text, CultureInfo.InvariantCulture, out var uuid))
            throw TypeErrors.Malformed("uuid", text);
        _codec.Write(binary, uuid);
    }

    public override string ToText(ReadOnlySpan<byte> binary) => _codec.Read(binary).ToString();
}

/// <summary>bytea in its hexadecimal form, \x and two digits a byte (manual, "Binary Data Types").</summary>
internal sealed class ByteaTextFormat : TextFormat
{
    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        if (text.IsEmpty) // no bytes in the other form, escape
            return;
        if (!text.StartsWith("\\x"u8) || text.Length % 2 != 0)
            throw TypeErrors.Malformed("bytea", text, "bytea_output has to be hex");
        var digits = text[2..];
        var bytes = binary.Reserve(digits.Length / 2);
        if (Convert.FromHexString(digits, bytes, out _, out _) != OperationStatus.Done)
            throw TypeErrors.Malformed("bytea", text);
    }

    public override string ToText(ReadOnlySpan<byte> binary) => "\\x" + Convert.ToHexStringLower(binary);
}
