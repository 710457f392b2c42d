namespace Loxo.Types;

internal static class TextTypes
{
    public static TypeEntry[] All(bool takesFirst) =>
    [
        Text(25, 1009, "text", "text", PgDbType.Text, takesFirst),
        Text(1043, 1015, "varchar", "character varying", PgDbType.Varchar, takesFirst),
        Text(1042, 1014, "bpchar", "character", PgDbType.Char, takesFirst),
        Text(19, 1003, "name", "name", PgDbType.Name, takesFirst),
        Text(142, 143, "xml", "xml", PgDbType.Xml, takesFirst),
        Text(1790, 2201, "refcursor", "refcursor", PgDbType.Refcursor),
        Text(705, 0, "unknown", "unknown", PgDbType.Unknown),
        Text(2275, 1263, "cstring", "cstring", null),
        Text(194, 0, "pg_node_tree", "pg_node_tree", null),
        TypeEntry.BuiltIn(4072, 4073, "jsonpath", "jsonpath", PgDbType.JsonPath,
            static () => VersionedText.All("jsonpath"), new VersionedTextFormat("jsonpath")),
        TypeEntry.BuiltIn(18, 1002, "char", "\"char\"", PgDbType.InternalChar,
            static () => [new InternalCharCodec(), new NumberCodec<byte, byte>("\"char\"")], new InternalCharTextFormat()),
    ];

    // The binary format of these is their text.
    private static TypeEntry Text(uint oid, uint array, string name, string display, PgDbType? dbType, bool takesFirst = false) =>
        TypeEntry.BuiltIn(oid, array, name, display, dbType, takesFirst ? FirstCharacters : static () => TextFamily.All,
            new PlainTextFormat());

    private static IEnumerable<Codec> FirstCharacters() =>
        TextFamily.All.Select(static codec => codec is CharCodec ? new CharCodec(takesFirst: true) : codec);
}

/// <summary>Text types: both formats are the same.</summary>
internal sealed class PlainTextFormat : TextFormat
{
    public override bool IsTextItself => true;

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text) => binary.WriteBytes(text);

    public override string ToText(ReadOnlySpan<byte> binary) => Utf8.Read(binary);
}

internal sealed class VersionedTextFormat(string type) : TextFormat
{
    public override bool IsTextItself => true;

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        VersionedText.Begin(binary);
        binary.WriteBytes(text);
    }

    public override string ToText(ReadOnlySpan<byte> binary) => Utf8.Read(VersionedText.Open(binary, type));
}

/// <summary>"char": one byte, as the character of that code (ASCII, and Latin-1 beyond it). NUL is the empty value.</summary>
internal sealed class InternalCharCodec : ValueCodec<char>
{
    public override char Read(ReadOnlySpan<byte> value) => (char)FixedBytes.Read<byte>(value, "\"char\"");

    public override void Write(MessageWriter writer, char value) => writer.WriteByte(value <= byte.MaxValue
        ? (byte)value
        : throw TypeErrors.OutOfRange($"The character '{value}'", "PostgreSQL type \"char\", which is one byte", "Write it as text"));
}

/// <summary>"char": nothing for 0, the character for ASCII, \ooo for a byte beyond it (charout, char.c).</summary>
internal sealed class InternalCharTextFormat : TextFormat
{
    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text) => binary.WriteByte(text switch
    {
        [] => 0,
        [var character] => character,
        [(byte)'\\', var a and >= (byte)'0' and <= (byte)'3', var b, var c] when IsOctal(b) && IsOctal(c) =>
            (byte)(((a - '0') << 6) + ((b - '0') << 3) + (c - '0')),
        _ => throw TypeErrors.Malformed("\"char\"", text),
    });

    public override string ToText(ReadOnlySpan<byte> binary) => FixedBytes.Read<byte>(binary, "\"char\"") switch
    {
        0 => "",
        >= 0x80 and var high => "\\" + Convert.ToString(high, 8),
        var ascii => ((char)ascii).ToString(),
    };

    private static bool IsOctal(byte digit) => digit is >= (byte)'0' and <= (byte)'7';
}
