using System.Globalization;

namespace Loxo.Types;

/// <summary>record: the number of fields, then each with its type's OID behind its length (record_send, rowtypes.c).</summary>
/// <param name="types">Finds the type of a field.</param>
internal sealed class RecordTextFormatter(Func<uint, TypeEntry?> types) : TextFormatter
{
    private const string Special = "\"\\(), \t\n\r\v\f";

    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var reader = RecordCodec.Open(binary, "record");
        var fields = new string[reader.Count];
        for (var i = 0; reader.TryReadNext(out var field); i++)
            fields[i] = field.IsNull ? "" : TextQuoting.Doubling(TypeOf(field.TypeOid).ToText(field.Value), Special);
        return "(" + string.Join(',', fields) + ")";
    }

    private TypeEntry TypeOf(uint oid) => types(oid) ?? throw new PgException(
        string.Create(CultureInfo.InvariantCulture,
            $"A field of the record has the type with OID {oid}, which is not known. Cast the record or the field to text in SQL."),
        PgErrorCode.NotSupported);
}
