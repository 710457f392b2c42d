using System.Globalization;
using System.Runtime.CompilerServices;
using Loxo.Types.Composed;

namespace Loxo.Types.TextFormat;

/// <summary>Ranges: flags, then the bounds behind their lengths (range_send, rangetypes.c).</summary>
internal sealed class RangeRendering(string type, TypeEntry element) : TextRendering
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
            ? RangeText.Empty
            : $"{((flags & RangeFlags.LowerInclusive) != 0 ? '[' : '(')}{lower},{upper}{((flags & RangeFlags.UpperInclusive) != 0 ? ']' : ')')}";
    }

    private string TakeBound(ref BinaryScanner scanner)
    {
        if (!scanner.TryTakeValue(out var value))
            throw scanner.Malformed("a bound of it is NULL");
        return RangeText.Quote(element.ToText(value));
    }
}

/// <summary>Multiranges: the number of ranges, then these behind their lengths (multirange_send, multirangetypes.c).</summary>
internal sealed class MultirangeRendering(string type, TextRendering range) : TextRendering
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
internal sealed class RecordRendering : TextRendering
{
    private const string Special = "\"\\(), \t\n\r\v\f";

    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var scanner = new BinaryScanner(binary, "record");
        if (!RuntimeHelpers.TryEnsureSufficientExecutionStack())
            throw scanner.Malformed("it is nested too deeply");
        var fields = new string[scanner.TakeCount(least: 8)];
        for (var i = 0; i < fields.Length; i++)
        {
            var oid = scanner.TakeUInt32();
            fields[i] = scanner.TryTakeValue(out var value) ? Quoted.Doubling(TypeOf(oid).ToText(value), Special) : "";
        }
        scanner.End();
        return "(" + string.Join(',', fields) + ")";
    }

    private static TypeEntry TypeOf(uint oid) => TypeCatalog.BuiltIn.Find(oid) ?? throw new PgException(
        string.Create(CultureInfo.InvariantCulture,
            $"A field of the record has the type with OID {oid}, which is not built in. Cast the record or the field to text in SQL."),
        PgErrorCode.NotSupported);
}
