using System.Collections.Immutable;

namespace Loxo;

/// <summary>A place of a lexeme in a <see cref="PgTsVector"/>: which word of the text it was, and how much it weighs.</summary>
public readonly record struct PgTsVectorPosition
{
    /// <summary>The last place that is told from others; what comes later is here too (MAXENTRYPOS, ts_type.h).</summary>
    public const int Last = 16_383;

    private readonly ushort _place;

    /// <param name="position">The place, from 1; all from 16,383 on are one, as for the server.</param>
    /// <param name="weight">The weight; D is the default.</param>
    /// <exception cref="ArgumentOutOfRangeException">The place is less than 1, or there is no such weight.</exception>
    public PgTsVectorPosition(int position, PgTsWeight weight = PgTsWeight.D)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(position, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan((byte)weight, (byte)PgTsWeight.A, nameof(weight));
        _place = (ushort)(Math.Min(position, Last) | (int)weight << 14);
    }

    private PgTsVectorPosition(ushort place) => _place = place;

    /// <summary>The place, from 1 to 16,383.</summary>
    public int Position => _place & Last;

    /// <summary>How much it weighs.</summary>
    public PgTsWeight Weight => (PgTsWeight)(_place >> 14);

    /// <summary>Both as on the wire: the weight is in the two highest bits.</summary>
    internal ushort Binary => _place;

    /// <summary>The place and, unless it is D, the weight: <c>3A</c>.</summary>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{Position}{(Weight == PgTsWeight.D ? "" : Weight.ToString())}");

    internal static PgTsVectorPosition FromBinary(ushort place) => new(place);
}

/// <summary>A lexeme of a <see cref="PgTsVector"/>: a word in its normal form, and where it was.</summary>
public readonly record struct PgTsVectorLexeme
{
    private const int MostPositions = 256; // MAXNUMPOS, ts_type.h

    private readonly string? _text;
    private readonly ImmutableArray<PgTsVectorPosition> _positions;

    /// <param name="text">The word, not empty; the server takes up to 2,046 bytes of UTF-8.</param>
    /// <param name="positions">
    /// Where it was, in any order; may be empty. Of the same place twice the higher weight counts, and of more than 256 places the first
    /// ones. Behind other places the first one of 16,383 or more counts. All this is as for the server.
    /// </param>
    /// <exception cref="ArgumentException">The word is null or empty.</exception>
    public PgTsVectorLexeme(string text, params IEnumerable<PgTsVectorPosition> positions)
        : this(text, InOrder(positions)) => ArgumentException.ThrowIfNullOrEmpty(text);

    internal PgTsVectorLexeme(string text, ImmutableArray<PgTsVectorPosition> inOrder) => (_text, _positions) = (text, inOrder);

    /// <summary>The word.</summary>
    public string Text => _text ?? "";

    /// <summary>Where it was, in order; empty when that is not known.</summary>
    public ImmutableArray<PgTsVectorPosition> Positions => _positions.IsDefault ? [] : _positions;

    /// <inheritdoc/>
    public bool Equals(PgTsVectorLexeme other) => Text == other.Text && Positions.AsSpan().SequenceEqual(other.Positions.AsSpan());

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Text, Positions.Length, Positions is [var first, ..] ? first : default);

    /// <summary>The lexeme as the server shows it: <c>'cat':3A,7</c>.</summary>
    public override string ToString()
    {
        var text = new StringBuilder();
        AppendTo(text);
        return text.ToString();
    }

    internal void AppendTo(StringBuilder text)
    {
        text.Append(LexemeText.Quote(Text));
        for (var i = 0; i < Positions.Length; i++)
            text.Append(i == 0 ? ':' : ',').Append(Positions[i].ToString());
    }

    internal PgTsVectorLexeme With(PgTsVectorLexeme other) => new(Text, InOrder([.. Positions, .. other.Positions]));

    // As uniquePos does it (tsvector.c): of the same place the higher weight counts, but for the last place there can be, where the server
    // does not look further.
    private static ImmutableArray<PgTsVectorPosition> InOrder(IEnumerable<PgTsVectorPosition> positions)
    {
        var ordered = ImmutableArray.CreateBuilder<PgTsVectorPosition>();
        foreach (var position in positions.OrderBy(position => position.Position))
        {
            if (ordered.Count == 0 || ordered[^1].Position != position.Position)
                ordered.Add(position);
            else if (position.Weight > ordered[^1].Weight)
                ordered[^1] = position;
            if (ordered.Count == MostPositions || (ordered.Count > 1 && position.Position == PgTsVectorPosition.Last))
                break;
        }
        return ordered.DrainToImmutable();
    }
}
