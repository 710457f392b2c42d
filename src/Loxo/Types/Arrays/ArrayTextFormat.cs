using System.Buffers.Text;

namespace Loxo.Types;

/// <summary>Arrays: {1,NULL,"with \"quotes\""}, perhaps behind [lower:upper]= (manual, "Array Input and Output Syntax").</summary>
internal sealed class ArrayTextFormat(TypeEntry element, TextFormat format) : TextFormat
{
    private const int ScratchSize = 64;

    private readonly byte _delimiter = (byte)ArrayTextFormatter.DelimiterOf(element);
    private readonly ArrayTextFormatter _formatter = new(element);

    private string Name => element.DisplayName + "[]";

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        var rest = text;
        Span<int> lowerBounds = stackalloc int[ArrayReader.MostDimensions];
        var bounds = TakeBounds(ref rest, lowerBounds);
        var rank = Math.Max(0, rest.IndexOfAnyExcept((byte)'{'));
        if (rank is 0 or > ArrayReader.MostDimensions || (bounds != 0 && bounds != rank))
            throw TypeErrors.Malformed(Name, text);
        Span<int> lengths = stackalloc int[rank];
        lengths.Fill(-1);
        var elements = new Elements();
        rest = TakeLevel(elements, rest, lengths);
        if (!rest.IsEmpty)
            throw TypeErrors.Malformed(Name, text);
        ArrayReader.WriteHeader(binary, element, elements.HasNull, lengths.Contains(0) ? [] : lengths, lowerBounds);
        binary.WriteBytes(elements.Written.Pending);
    }

    public override string ToText(ReadOnlySpan<byte> binary) => _formatter.ToText(binary);

    // The upper bounds follow from the elements.
    private int TakeBounds(ref ReadOnlySpan<byte> text, scoped Span<int> lowerBounds)
    {
        lowerBounds.Fill(1);
        if (text is not [(byte)'[', ..])
            return 0;
        var all = text;
        var count = 0;
        for (; text is [(byte)'[', ..]; count++)
        {
            var hasLower = Utf8Parser.TryParse(text[1..], out int lower, out var length) && count < lowerBounds.Length;
            var end = text.IndexOf((byte)']');
            if (!hasLower || end < 0 || text[1 + length] != ':')
                throw TypeErrors.Malformed(Name, all);
            lowerBounds[count] = lower;
            text = text[(end + 1)..];
        }
        if (text is not [(byte)'=', ..])
            throw TypeErrors.Malformed(Name, all);
        text = text[1..];
        return count;
    }

    // One pair of braces. All of a dimension have the same length, or the array would not be rectangular.
    private ReadOnlySpan<byte> TakeLevel(Elements elements, ReadOnlySpan<byte> text, scoped Span<int> lengths)
    {
        if (text is not [(byte)'{', ..])
            throw TypeErrors.Malformed(Name, text);
        var count = 0;
        for (text = text[1..]; text is not [(byte)'}', ..] || count > 0; count++)
        {
            text = lengths.Length > 1 ? TakeLevel(elements, text, lengths[1..]) : TakeElement(elements, text);
            if (text is not [var delimiter, ..] || (delimiter != _delimiter && delimiter != '}'))
                throw TypeErrors.Malformed(Name, text);
            if (delimiter == '}')
            {
                count++;
                break;
            }
            text = text[1..];
        }
        if (lengths[0] >= 0 && lengths[0] != count)
            throw TypeErrors.Malformed(Name, text,
                string.Create(CultureInfo.InvariantCulture, $"before it one part has {lengths[0]} elements and one {count}"));
        lengths[0] = count;
        return text[1..];
    }

    private ReadOnlySpan<byte> TakeElement(Elements elements, ReadOnlySpan<byte> text)
    {
        var value = elements.Value;
        var isQuoted = text is [(byte)'"', ..];
        text = isQuoted ? TakeQuoted(value, text[1..]) : TakePlain(value, text);
        if (!isQuoted && System.Text.Ascii.EqualsIgnoreCase(value.Pending, "NULL"u8))
        {
            elements.Written.WriteNullValue();
            elements.HasNull = true;
        }
        else
        {
            format.WriteWithLength(elements.Written, value.Pending);
        }
        value.Consume(value.Pending.Length);
        return text;
    }

    private ReadOnlySpan<byte> TakePlain(MessageWriter value, ReadOnlySpan<byte> text)
    {
        // The server quotes every element that is empty or holds one of these.
        var length = text.IndexOfAny([_delimiter, (byte)'}', (byte)'"', (byte)'\\', (byte)'{']);
        if (length <= 0 || (text[length] != _delimiter && text[length] != '}'))
            throw TypeErrors.Malformed(Name, text);
        value.WriteBytes(text[..length]);
        return text[length..];
    }

    private ReadOnlySpan<byte> TakeQuoted(MessageWriter value, ReadOnlySpan<byte> text)
    {
        while (true)
        {
            var end = text.IndexOfAny((byte)'"', (byte)'\\');
            if (end < 0 || end + 1 == text.Length)
                throw TypeErrors.Malformed(Name, text);
            value.WriteBytes(text[..end]);
            if (text[end] == '"')
                return text[(end + 1)..];
            value.WriteByte(text[end + 1]);
            text = text[(end + 2)..];
        }
    }

    // What has been read so far, and room for one element without its quotes.
    private sealed class Elements
    {
        public MessageWriter Written { get; } = new(ScratchSize);

        public MessageWriter Value { get; } = new(ScratchSize);

        public bool HasNull { get; set; }
    }
}

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
