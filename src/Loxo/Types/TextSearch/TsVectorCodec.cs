using System.Collections.Immutable;

namespace Loxo.Types;

/// <summary>tsvector: number of lexemes; for each its text, a zero, number of places, places (tsvectorsend, tsvector.c).</summary>
internal sealed class TsVectorCodec : ReferenceCodec<PgTsVector>
{
    private const int LeastLexeme = 3; // the end of the text, and no place

    public override PgTsVector Read(ReadOnlySpan<byte> value)
    {
        var scanner = new BinaryScanner(value, "tsvector");
        var lexemes = new PgTsVectorLexeme[scanner.TakeCount(LeastLexeme)];
        foreach (ref var lexeme in lexemes.AsSpan())
        {
            var text = Utf8.Read(scanner.TakeCString());
            var places = scanner.Take(scanner.TakeUInt16() * sizeof(ushort));
            lexeme = new PgTsVectorLexeme(text, ReadPlaces(places));
        }
        scanner.End();
        return PgTsVector.FromLexemes(lexemes);
    }

    public override void Write(MessageWriter writer, PgTsVector value)
    {
        writer.WriteInt32(value.Count);
        for (var i = 0; i < value.Count; i++)
        {
            var lexeme = value[i];
            Utf8.Write(writer, lexeme.Text);
            writer.WriteByte(0);
            writer.WriteCount(lexeme.Positions.Length);
            foreach (var position in lexeme.Positions)
                writer.WriteInt16((short)position.Binary);
        }
    }

    private static ImmutableArray<PgTsVectorPosition> ReadPlaces(ReadOnlySpan<byte> bytes)
    {
        if (bytes.IsEmpty)
            return [];
        var places = new PgTsVectorPosition[bytes.Length / sizeof(ushort)];
        for (var i = 0; i < places.Length; i++)
            places[i] = PgTsVectorPosition.FromBinary(BinaryPrimitives.ReadUInt16BigEndian(bytes[(i * sizeof(ushort))..]));
        return ImmutableCollectionsMarshal.AsImmutableArray(places);
    }
}

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
