namespace Loxo.Types;

/// <summary>A tsquery as the server takes it (tsqueryin, tsquery.c): ! binds most, then &lt;->, &amp; and |, from left to right.</summary>
internal static class TsQueryParser
{
    private const string Operators = "|&<"; // the one that binds least first

    /// <summary>Null if it is no tsquery, or nested too deeply.</summary>
    public static PgTsQuery? Parse(ReadOnlySpan<char> text)
    {
        var scanner = new WordScanner(text, hasOperators: true);
        scanner.SkipBlanks();
        if (scanner.IsAtEnd)
            return PgTsQuery.Empty;
        return Take(ref scanner) is { } query && scanner.IsAtEnd ? query : null;
    }

    // Each level of operators has operands of the next one.
    private static PgTsQuery? Take(ref WordScanner scanner, int level = 0)
    {
        if (level == Operators.Length)
            return TakeOperand(ref scanner);
        var left = Take(ref scanner, level + 1);
        while (left is not null && scanner.TryTake(Operators[level]))
        {
            var distance = 0;
            if (Operators[level] == '<' && !TryTakeDistance(ref scanner, out distance))
                return null;
            left = Take(ref scanner, level + 1) is { } right ? Combine(Operators[level], left, right, distance) : null;
        }
        return left;
    }

    private static PgTsQuery Combine(char sign, PgTsQuery left, PgTsQuery right, int distance) => sign switch
    {
        '|' => new PgTsQueryOr(left, right),
        '&' => new PgTsQueryAnd(left, right),
        _ => new PgTsQueryFollowedBy(left, right, distance),
    };

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
        var isEnclosed = scanner.TryTake('(');
        var query = isEnclosed ? Take(ref scanner) : TakeLexeme(ref scanner);
        if (isEnclosed && !scanner.TryTake(')'))
            query = null;
        scanner.SkipBlanks();
        return query;
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
            if (scanner.Next == '*')
                isPrefix = true;
            else if (LexemeText.WeightOf(scanner.Next) is { } weight)
                weights |= (PgTsWeights)(1 << (int)weight);
            else
                return new PgTsQueryLexeme(word, weights, isPrefix);
            scanner.Skip(1);
        }
    }
}
