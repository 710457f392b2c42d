namespace Loxo.Types;

internal sealed class RecordTextFormatter(Func<uint, TypeEntry?> types) : TextFormatter
{
    // Each level of nested records doubles the quotes of the levels below: a few hundred bytes could take all memory.
    private const int QuotesOfAnyRecord = 1024;
    private const int QuotesForByte = 32;

    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var reader = RecordCodec.Open(binary, "record");
        var fields = new string[reader.Count];
        for (var i = 0; reader.TryReadNext(out var field); i++)
            fields[i] = field.IsNull ? "" : Quoted(TypeOf(field.TypeOid).ToText(field.Value), binary.Length);
        return "(" + string.Join(',', fields) + ")";
    }

    private static string Quoted(string text, int length) => text.AsSpan().Count('"') <= QuotesOfAnyRecord + (long)QuotesForByte * length
        ? TextQuoting.Doubling(text, CompositeTextFormat.Special)
        : throw new PgException(
            "Records are nested too deeply to be read as text: each level doubles the quotes. Read the record as object?[] or with "
            + "GetData.",
            PgErrorCode.NotSupported);

    private TypeEntry TypeOf(uint oid) => types(oid) ?? throw new PgException(
        string.Create(CultureInfo.InvariantCulture,
            $"A field of the record has the type with OID {oid}, which is not known. Cast the record or the field to text in SQL."),
        PgErrorCode.NotSupported);
}
