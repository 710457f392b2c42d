namespace Loxo.Types;

/// <summary>Arrays: {1,NULL,"with \"quotes\" or , in it"}, behind [lower:upper]= unless every index starts at 1 (array_out).</summary>
internal sealed class ArrayTextFormatter(TypeEntry element) : TextFormatter
{
    private readonly char _delimiter = DelimiterOf(element);

    // Characters for which an element is quoted.
    private readonly string _special = "\"\\{} \t\n\r\v\f" + DelimiterOf(element);

    public override string ToText(ReadOnlySpan<byte> binary)
    {
        if (!RuntimeHelpers.TryEnsureSufficientExecutionStack())
            throw TypeErrors.Malformed(element.DisplayName + "[]", "it is nested too deeply");
        var reader = new ArrayReader(binary, element);
        if (reader.Count == 0)
            return "{}";
        var text = new StringBuilder();
        if (reader.LowerBounds.ContainsAnyExcept(1))
            AppendBounds(text, reader.Lengths, reader.LowerBounds);
        AppendElements(text, ref reader, dimension: 0);
        reader.End();
        return text.ToString();
    }

    /// <summary>box is the one type whose arrays have another delimiter than the comma (pg_type.typdelim).</summary>
    public static char DelimiterOf(TypeEntry element) => element.Name == "box" ? ';' : ',';

    private static void AppendBounds(StringBuilder text, ReadOnlySpan<int> lengths, ReadOnlySpan<int> lowerBounds)
    {
        for (var i = 0; i < lengths.Length; i++)
            text.Append(CultureInfo.InvariantCulture, $"[{lowerBounds[i]}:{lowerBounds[i] + (long)lengths[i] - 1}]");
        text.Append('=');
    }

    private void AppendElements(StringBuilder text, ref ArrayReader reader, int dimension)
    {
        text.Append('{');
        for (var i = 0; i < reader.Lengths[dimension]; i++)
        {
            if (i > 0)
                text.Append(_delimiter);
            if (dimension + 1 < reader.Rank)
                AppendElements(text, ref reader, dimension + 1);
            else
                text.Append(reader.TryTake(out var value) ? TextQuoting.Escaping(element.ToText(value), _special) : "NULL");
        }
        text.Append('}');
    }
}

/// <summary>Arrays that name the type of their elements themselves.</summary>
internal sealed class AnyArrayTextFormatter(string type, Func<uint, TypeEntry?> types) : TextFormatter
{
    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var oid = ArrayReader.ElementOidOf(binary);
        return types(oid) is { } element
            ? new ArrayTextFormatter(element).ToText(binary)
            : throw TypeErrors.Malformed(type, string.Create(CultureInfo.InvariantCulture, $"its elements have the type with OID {oid}"));
    }
}
