using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;
using Loxo.Types.Codecs;

namespace Loxo.Types.TextFormat;

/// <summary>
/// tsvector: number of lexemes, then each with its places, which hold a weight in their two highest bits (tsvectorsend, tsvector.c).
/// </summary>
internal sealed class TsVectorRendering : TextRendering
{
    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var scanner = new BinaryScanner(binary, "tsvector");
        var text = new StringBuilder();
        for (var left = scanner.TakeCount(least: 3); left > 0; left--)
        {
            text.Append(text.Length == 0 ? "" : " ").Append(Lexeme.Quote(scanner.TakeCString()));
            var places = scanner.TakeUInt16();
            for (var i = 0; i < places; i++)
                AppendPlace(text.Append(i == 0 ? ':' : ','), scanner.TakeUInt16());
        }
        scanner.End();
        return text.ToString();
    }

    private static void AppendPlace(StringBuilder text, int place)
    {
        text.Append(CultureInfo.InvariantCulture, $"{place & 0x3FFF}");
        var weight = place >> 14;
        if (weight > 0)
            text.Append("DCBA"[weight]);
    }
}

/// <summary>
/// tsquery: number of items, then these as a tree in prefix order, the right operand in front of the left one (tsquerysend, tsquery.c).
/// </summary>
internal sealed class TsQueryRendering : TextRendering
{
    private const int Value = 1;
    private const int Not = 1;
    private const int And = 2;
    private const int Or = 3;
    private const int Phrase = 4;

    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var scanner = new BinaryScanner(binary, "tsquery");
        var text = scanner.TakeCount(least: 2) == 0 ? "" : TakeItem(ref scanner, outerPriority: -1, isRightOfPhrase: false);
        scanner.End();
        return text;
    }

    private static string TakeItem(ref BinaryScanner scanner, int outerPriority, bool isRightOfPhrase)
    {
        if (!RuntimeHelpers.TryEnsureSufficientExecutionStack())
            throw scanner.Malformed("it is nested too deeply");
        if (scanner.TakeByte() == Value)
            return TakeValue(ref scanner);
        var operation = scanner.TakeByte();
        var priority = operation switch
        {
            Not => 4,
            Phrase => 3,
            And => 2,
            Or => 1,
            _ => throw scanner.Malformed("it has an unknown operator"),
        };
        var text = operation == Not
            ? "!" + TakeItem(ref scanner, priority, isRightOfPhrase: false)
            : TakeBinary(ref scanner, operation, priority);
        // A phrase is associative to the left only (infix, tsquery.c).
        var needsParentheses = priority < outerPriority || (operation == Phrase && isRightOfPhrase);
        return needsParentheses ? $"( {text} )" : text;
    }

    private static string TakeBinary(ref BinaryScanner scanner, int operation, int priority)
    {
        var distance = operation == Phrase ? scanner.TakeUInt16() : 0;
        var right = TakeItem(ref scanner, priority, isRightOfPhrase: operation == Phrase);
        var left = TakeItem(ref scanner, priority, isRightOfPhrase: false);
        var sign = operation switch
        {
            And => "&",
            Or => "|",
            _ => distance == 1 ? "<->" : string.Create(CultureInfo.InvariantCulture, $"<{distance}>"),
        };
        return $"{left} {sign} {right}";
    }

    private static string TakeValue(ref BinaryScanner scanner)
    {
        var weights = scanner.TakeByte();
        var isPrefix = scanner.TakeByte() != 0;
        var text = new StringBuilder(Lexeme.Quote(scanner.TakeCString()));
        if (weights == 0 && !isPrefix)
            return text.ToString();
        text.Append(isPrefix ? ":*" : ":");
        for (var bit = 3; bit >= 0; bit--)
            text.Append((weights >> bit & 1) != 0 ? "DCBA"[bit..(bit + 1)] : "");
        return text.ToString();
    }
}

/// <summary>A lexeme in quotes.</summary>
internal static class Lexeme
{
    public static string Quote(ReadOnlySpan<byte> lexeme) =>
        "'" + Utf8.Read(lexeme).Replace("'", "''", StringComparison.Ordinal).Replace("\\", "\\\\", StringComparison.Ordinal) + "'";
}
