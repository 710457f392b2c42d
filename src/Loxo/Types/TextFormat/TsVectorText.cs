namespace Loxo.Types.TextFormat;

/// <summary>The text of a tsvector as the server takes it (tsvectorin, tsvector.c).</summary>
internal static class TsVectorText
{
    /// <summary>The lexemes as they stand there; null if it is no tsvector.</summary>
    public static PgTsVectorLexeme[]? Parse(ReadOnlySpan<char> text)
    {
        var lexemes = new List<PgTsVectorLexeme>();
        var scanner = new WordScanner(text, hasOperators: false);
        scanner.SkipBlanks();
        while (!scanner.IsAtEnd)
        {
            var positions = new List<PgTsVectorPosition>();
            if (scanner.TakeWord() is not { } word || (scanner.TryTake(':') && !TryTakePositions(ref scanner, positions)))
                return null;
            lexemes.Add(new PgTsVectorLexeme(word, positions));
            scanner.SkipBlanks();
        }
        return [.. lexemes];
    }

    private static bool TryTakePositions(ref WordScanner scanner, List<PgTsVectorPosition> positions)
    {
        do
        {
            if (!scanner.TryTakeNumber(PgTsVectorPosition.Last, out var position) || position == 0)
                return false;
            positions.Add(new PgTsVectorPosition(position, TakeWeight(ref scanner)));
        }
        while (scanner.TryTake(','));
        return scanner.IsAtEnd || char.IsWhiteSpace(scanner.Next);
    }

    private static PgTsWeight TakeWeight(ref WordScanner scanner)
    {
        PgTsWeight? weight = scanner.Next switch
        {
            'A' or 'a' or '*' => PgTsWeight.A,
            'B' or 'b' => PgTsWeight.B,
            'C' or 'c' => PgTsWeight.C,
            'D' or 'd' => PgTsWeight.D,
            _ => null,
        };
        scanner.Skip(weight is null ? 0 : 1);
        return weight ?? PgTsWeight.D;
    }
}
