using System.Globalization;

namespace Loxo.Types;

/// <summary>Ranges: flags, then the bounds behind their lengths (range_send, rangetypes.c).</summary>
internal sealed class RangeTextFormatter(string type, TypeEntry element) : TextFormatter
{
    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var scanner = new BinaryScanner(binary, type);
        var flags = (RangeFlags)scanner.TakeByte();
        var isEmpty = (flags & RangeFlags.Empty) != 0;
        var lower = isEmpty || (flags & RangeFlags.LowerInfinite) != 0 ? "" : TakeBound(ref scanner);
        var upper = isEmpty || (flags & RangeFlags.UpperInfinite) != 0 ? "" : TakeBound(ref scanner);
        scanner.End();
        return isEmpty
            ? RangeTextParser.Empty
            : $"{((flags & RangeFlags.LowerInclusive) != 0 ? '[' : '(')}{lower},{upper}{((flags & RangeFlags.UpperInclusive) != 0 ? ']' : ')')}";
    }

    private string TakeBound(ref BinaryScanner scanner)
    {
        if (!scanner.TryTakeValue(out var value))
            throw scanner.Malformed("a bound of it is NULL");
        return RangeTextParser.Quote(element.ToText(value));
    }
}

/// <summary>Multiranges: the number of ranges, then these behind their lengths (multirange_send, multirangetypes.c).</summary>
internal sealed class MultirangeTextFormatter(string type, TextFormatter range) : TextFormatter
{
    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var scanner = new BinaryScanner(binary, type);
        var ranges = new string[scanner.TakeCount(least: 4)];
        for (var i = 0; i < ranges.Length; i++)
            ranges[i] = scanner.TryTakeValue(out var value) ? range.ToText(value) : throw scanner.Malformed("a range of it is NULL");
        scanner.End();
        return "{" + string.Join(',', ranges) + "}";
    }
}

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
