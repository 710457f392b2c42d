namespace Loxo.Types;

internal static class TextTypes
{
    public static TypeEntry[] All() =>
    [
        Text(25, 1009, "text", "text", PgDbType.Text),
        Text(1043, 1015, "varchar", "character varying", PgDbType.Varchar),
        Text(1042, 1014, "bpchar", "character", PgDbType.Char),
        Text(19, 1003, "name", "name", PgDbType.Name),
        Text(142, 143, "xml", "xml", PgDbType.Xml),
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
    private static TypeEntry Text(uint oid, uint array, string name, string display, PgDbType? dbType) =>
        TypeEntry.BuiltIn(oid, array, name, display, dbType, static () => TextFamily.All, new PlainTextFormat());
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
