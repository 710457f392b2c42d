using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;

namespace Loxo.Types;

/// <summary>
/// Arrays of any number of dimensions: {1,NULL,"with \"quotes\" or , in it"}, behind [lower:upper]= where an index starts at another number
/// than 1 (array_out, arrayfuncs.c).
/// </summary>
/// <param name="element">The type of its elements; null for anyarray, whose values say it themselves.</param>
internal sealed class ArrayTextFormatter(TypeEntry? element) : TextFormatter
{
    private const int MostDimensions = 6; // MAXDIM, array.h

    // box is the one type whose arrays have another delimiter than the comma (pg_type.typdelim).
    private readonly char _delimiter = DelimiterOf(element);

    // What an element has to be quoted for.
    private readonly string _special = "\"\\{} \t\n\r\v\f" + DelimiterOf(element);

    private string Name => element is null ? "anyarray" : element.DisplayName + "[]";

    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var scanner = new BinaryScanner(binary, Name);
        if (!RuntimeHelpers.TryEnsureSufficientExecutionStack())
            throw scanner.Malformed("it is nested too deeply");
        var dimensions = scanner.TakeInt32();
        scanner.TakeInt32(); // whether there are NULLs, which the elements tell too
        var type = ElementType(scanner.TakeUInt32(), scanner);
        if (dimensions is < 0 or > MostDimensions)
            throw scanner.Malformed("its number of dimensions is impossible");
        Span<int> lengths = stackalloc int[dimensions];
        var bounds = TakeBounds(ref scanner, lengths);
        if (lengths.IsEmpty || lengths.Contains(0))
        {
            scanner.End();
            return "{}";
        }
        var text = new StringBuilder(bounds);
        AppendElements(text, ref scanner, lengths, type);
        scanner.End();
        return text.ToString();
    }

    public static char DelimiterOf(TypeEntry? element) => element?.Name == "box" ? ';' : ',';

    private TypeEntry ElementType(uint oid, BinaryScanner scanner)
    {
        var type = element ?? TypeCatalog.BuiltIn.Find(oid);
        return type?.Oid == oid
            ? type
            : throw scanner.Malformed(string.Create(CultureInfo.InvariantCulture, $"its elements have the type with OID {oid}"));
    }

    private static string TakeBounds(ref BinaryScanner scanner, scoped Span<int> lengths)
    {
        var text = new StringBuilder();
        var isUsual = true;
        var elements = lengths.IsEmpty ? 0L : 1L;
        foreach (ref var length in lengths)
        {
            length = scanner.TakeInt32();
            if (length < 0 || elements > int.MaxValue)
                throw scanner.Malformed("a length of it is impossible");
            elements *= length;
            var lower = scanner.TakeInt32();
            isUsual &= lower == 1;
            text.Append(CultureInfo.InvariantCulture, $"[{lower}:{lower + (long)length - 1}]");
        }
        if (elements > scanner.Left / sizeof(int))
            throw scanner.Malformed("it claims more elements than it has bytes for");
        return isUsual ? "" : text.Append('=').ToString();
    }

    private void AppendElements(StringBuilder text, ref BinaryScanner scanner, scoped ReadOnlySpan<int> lengths, TypeEntry type)
    {
        text.Append('{');
        for (var i = 0; i < lengths[0]; i++)
        {
            if (i > 0)
                text.Append(_delimiter);
            if (lengths.Length > 1)
                AppendElements(text, ref scanner, lengths[1..], type);
            else
                text.Append(scanner.TryTakeValue(out var value) ? TextQuoting.Escaping(type.ToText(value), _special) : "NULL");
        }
        text.Append('}');
    }
}
