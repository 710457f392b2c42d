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
        var rest = SkipBlanks(text);
        Span<int> lowerBounds = stackalloc int[ArrayReader.MostDimensions];
        Span<long> sizes = stackalloc long[ArrayReader.MostDimensions];
        var bounds = TakeBounds(ref rest, lowerBounds, sizes);
        var rank = RankOf(rest);
        if (rank is 0 or > ArrayReader.MostDimensions || (bounds != 0 && bounds != rank))
            throw TypeErrors.Malformed(Name, text);
        Span<int> lengths = stackalloc int[rank];
        lengths.Fill(-1);
        var elements = new Elements();
        rest = SkipBlanks(TakeLevel(elements, rest, lengths));
        if (!rest.IsEmpty || !AreOf(sizes[..bounds], lengths))
            throw TypeErrors.Malformed(Name, text);
        ArrayReader.WriteHeader(binary, element, elements.HasNull, lengths.Contains(0) ? [] : lengths, lowerBounds);
        binary.WriteBytes(elements.Written.Pending);
    }

    public override string ToText(ReadOnlySpan<byte> binary) => _formatter.ToText(binary);

    private static ReadOnlySpan<byte> SkipBlanks(ReadOnlySpan<byte> text) => text.TrimStart(AsciiBlanks.AllBytes);

    private static int RankOf(ReadOnlySpan<byte> text)
    {
        var rank = 0;
        for (; text is [(byte)'{', ..]; rank++)
            text = SkipBlanks(text[1..]);
        return rank;
    }

    private static bool AreOf(ReadOnlySpan<long> sizes, ReadOnlySpan<int> lengths)
    {
        for (var i = 0; i < sizes.Length; i++)
        {
            if (sizes[i] != lengths[i])
                return false;
        }
        return true;
    }

    // [lower:upper] or [upper] of each dimension, and the sign behind them.
    private int TakeBounds(ref ReadOnlySpan<byte> text, scoped Span<int> lowerBounds, scoped Span<long> sizes)
    {
        lowerBounds.Fill(1);
        var all = text;
        var count = 0;
        for (; text is [(byte)'[', ..]; count++)
        {
            text = text[1..];
            if (count == lowerBounds.Length || !TryTakeBound(ref text, out var upper))
                throw TypeErrors.Malformed(Name, all);
            if (text is [(byte)':', ..])
            {
                lowerBounds[count] = upper;
                text = text[1..];
                if (!TryTakeBound(ref text, out upper))
                    throw TypeErrors.Malformed(Name, all);
            }
            if (text is not [(byte)']', ..] || upper < lowerBounds[count])
                throw TypeErrors.Malformed(Name, all);
            sizes[count] = (long)upper - lowerBounds[count] + 1;
            text = SkipBlanks(text[1..]);
        }
        if (count == 0)
            return 0;
        if (text is not [(byte)'=', ..])
            throw TypeErrors.Malformed(Name, all);
        text = SkipBlanks(text[1..]);
        return count;
    }

    private static bool TryTakeBound(ref ReadOnlySpan<byte> text, out int bound)
    {
        var isBound = Utf8Parser.TryParse(text, out bound, out var length);
        text = text[length..];
        return isBound;
    }

    // One pair of braces. All of a dimension have the same length, or the array would not be rectangular.
    private ReadOnlySpan<byte> TakeLevel(Elements elements, ReadOnlySpan<byte> text, scoped Span<int> lengths)
    {
        if (text is not [(byte)'{', ..])
            throw TypeErrors.Malformed(Name, text);
        var count = 0;
        for (text = SkipBlanks(text[1..]); text is not [(byte)'}', ..] || count > 0; count++)
        {
            text = SkipBlanks(lengths.Length > 1 ? TakeLevel(elements, text, lengths[1..]) : TakeElement(elements, text));
            if (text is not [var delimiter, ..] || (delimiter != _delimiter && delimiter != '}'))
                throw TypeErrors.Malformed(Name, text);
            if (delimiter == '}')
            {
                count++;
                break;
            }
            text = SkipBlanks(text[1..]);
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
        text = isQuoted ? TakeQuoted(value, text[1..]) : TakePlain(value, text, out isQuoted);
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

    // Blanks at the end do not belong to the element, unless a backslash protects them.
    private ReadOnlySpan<byte> TakePlain(MessageWriter value, ReadOnlySpan<byte> text, out bool isProtected)
    {
        isProtected = false;
        while (true)
        {
            var length = text.IndexOfAny([_delimiter, (byte)'}', (byte)'"', (byte)'\\', (byte)'{']);
            if (length < 0 || text[length] is (byte)'"' or (byte)'{' || text[length..] is [(byte)'\\'])
                throw TypeErrors.Malformed(Name, text);
            var part = text[..length];
            value.WriteBytes(text[length] == '\\' ? part : part.TrimEnd(AsciiBlanks.AllBytes));
            text = text[length..];
            if (text[0] != '\\')
                return value.Pending.IsEmpty ? throw TypeErrors.Malformed(Name, text) : text;
            value.WriteByte(text[1]);
            text = text[2..];
            isProtected = true;
        }
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
