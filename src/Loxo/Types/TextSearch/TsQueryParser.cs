namespace Loxo.Types;

/// <summary>
/// The text of a tsquery as the server takes it (tsqueryin, tsquery.c): <c>!</c> binds most, then <c>&lt;-&gt;</c>, <c>&amp;</c> and
/// <c>|</c>, the last three from left to right.
/// </summary>
internal static class TsQueryParser
{
    /// <summary>Null if it is no tsquery, or nested too deeply.</summary>
    public static PgTsQuery? Parse(ReadOnlySpan<char> text)
    {
        var scanner = new WordScanner(text, hasOperators: true);
        scanner.SkipBlanks();
        if (scanner.IsAtEnd)
            return PgTsQuery.Empty;
        return TakeOr(ref scanner) is { } query && scanner.IsAtEnd ? query : null;
    }

    private static PgTsQuery? TakeOr(ref WordScanner scanner)
    {
        var left = TakeAnd(ref scanner);
        while (left is not null && scanner.TryTake('|'))
            left = TakeAnd(ref scanner) is { } right ? new PgTsQueryOr(left, right) : null;
        return left;
    }

    private static PgTsQuery? TakeAnd(ref WordScanner scanner)
    {
        var left = TakePhrase(ref scanner);
        while (left is not null && scanner.TryTake('&'))
            left = TakePhrase(ref scanner) is { } right ? new PgTsQueryAnd(left, right) : null;
        return left;
    }

    private static PgTsQuery? TakePhrase(ref WordScanner scanner)
    {
        var left = TakeOperand(ref scanner);
        while (left is not null && scanner.TryTake('<'))
        {
            left = TryTakeDistance(ref scanner, out var distance) && TakeOperand(ref scanner) is { } right
                ? new PgTsQueryFollowedBy(left, right, distance)
                : null;
        }
        return left;
    }

    // What is behind < in <-> and <2>.
    private static bool TryTakeDistance(ref WordScanner scanner, out int distance)
    {
        distance = 1;
        return (scanner.TryTake('-') || scanner.TryTakeNumber(out distance))
            && distance <= PgTsQueryFollowedBy.MostDistance && scanner.TryTake('>');
    }

    /// <summary>A word, a negation or what stands in parentheses, and the blanks behind it.</summary>
    private static PgTsQuery? TakeOperand(ref WordScanner scanner)
    {
        if (!RuntimeHelpers.TryEnsureSufficientExecutionStack())
            return null;
        scanner.SkipBlanks();
        if (scanner.TryTake('!'))
            return TakeOperand(ref scanner) is { } operand ? new PgTsQueryNot(operand) : null;
        var query = scanner.TryTake('(') ? TakeParenthesized(ref scanner) : TakeLexeme(ref scanner);
        scanner.SkipBlanks();
        return query;
    }

    private static PgTsQuery? TakeParenthesized(ref WordScanner scanner)
    {
        var query = TakeOr(ref scanner);
        return scanner.TryTake(')') ? query : null;
    }

    private static PgTsQueryLexeme? TakeLexeme(ref WordScanner scanner)
    {
        if (scanner.TakeWord() is not { } word)
            return null;
        var weights = PgTsWeights.Any;
        var isPrefix = false;
        if (!scanner.TryTake(':'))
            return new PgTsQueryLexeme(word);
        while (true)
        {
            PgTsWeights? weight = scanner.Next switch
            {
                'A' or 'a' => PgTsWeights.A,
                'B' or 'b' => PgTsWeights.B,
                'C' or 'c' => PgTsWeights.C,
                'D' or 'd' => PgTsWeights.D,
                '*' => PgTsWeights.Any,
                _ => null,
            };
            if (weight is null)
                return new PgTsQueryLexeme(word, weights, isPrefix);
            weights |= weight.Value;
            isPrefix |= weight == PgTsWeights.Any;
            scanner.Skip(1);
        }
    }
}
