using System.Collections.Immutable;
using System.Runtime.InteropServices;

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
