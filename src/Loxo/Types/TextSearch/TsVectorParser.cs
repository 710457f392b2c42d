namespace Loxo.Types;

/// <summary>The text of a tsvector as the server takes it (tsvectorin, tsvector.c).</summary>
internal static class TsVectorParser
{
    // Bytes of all words and places together (MAXSTRPOS, ts_type.h).
    private const int MostBytes = 1_048_575;
    private const int BytesBeforePlaces = 3; // their number, aligned
    private const int BytesOfPlace = 2;

    /// <summary>The lexemes as they stand there; null if it is no tsvector.</summary>
    public static PgTsVectorLexeme[]? Parse(ReadOnlySpan<char> text)
    {
        var lexemes = new List<PgTsVectorLexeme>();
        var scanner = new WordScanner(text, hasOperators: false);
        var size = 0;
        scanner.SkipBlanks();
        while (!scanner.IsAtEnd)
        {
            var positions = new List<PgTsVectorPosition>();
            if (scanner.TakeWord() is not { } word || (scanner.TryTake(':') && !TryTakePositions(ref scanner, positions)))
                return null;
            size += Encoding.UTF8.GetByteCount(word) + (positions.Count == 0 ? 0 : BytesBeforePlaces + BytesOfPlace * positions.Count);
            if (size > MostBytes)
                return null;
            lexemes.Add(new PgTsVectorLexeme(word, positions));
            scanner.SkipBlanks();
        }
        return [.. lexemes];
    }

    // Behind its digits a place may have weights, the last of which counts; D says nothing. The server skips digits between them.
    private static bool TryTakePositions(ref WordScanner scanner, List<PgTsVectorPosition> positions)
    {
        do
        {
            if (!scanner.TryTakeNumber(out var position) || position == 0 || !TryTakeWeights(ref scanner, out var weight))
                return false;
            positions.Add(new PgTsVectorPosition(position, weight));
        }
        while (scanner.TryTake(','));
        return scanner.IsAtEnd || AsciiBlanks.Contains(scanner.Next);
    }

    private static bool TryTakeWeights(ref WordScanner scanner, out PgTsWeight weight)
    {
        weight = PgTsWeight.D;
        while ((scanner.Next == '*' ? PgTsWeight.A : LexemeText.WeightOf(scanner.Next)) is { } next)
        {
            if (weight != PgTsWeight.D)
                return false;
            weight = next;
            scanner.Skip(1);
            scanner.SkipDigits();
        }
        return true;
    }
}
