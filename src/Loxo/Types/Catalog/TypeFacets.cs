namespace Loxo.Types;

/// <summary>What a type modifier (pg_attribute.atttypmod) says about a column's type; each null when it says nothing.</summary>
internal readonly struct TypeFacets
{
    private const int HeaderSize = 4; // VARHDRSZ: what many modifiers have on top
    private const int MaxIntervalPrecision = 6;

    /// <summary>Characters of character(n) and varchar(n), bits of bit(n).</summary>
    public int? Length { get; private init; }

    /// <summary>Digits of numeric(p,s) in all; digits of the second's fraction of times, timestamps and intervals.</summary>
    public int? Precision { get; private init; }

    /// <summary>Digits of numeric(p,s) after the point; negative when it rounds before the point.</summary>
    public int? Scale { get; private init; }

    /// <summary>The fields of an interval: "year to month".</summary>
    public string? Fields { get; private init; }

    public static TypeFacets Of(TypeEntry type, int modifier)
    {
        if (modifier < 0)
            return default;
        return (type.Element ?? type).Name switch
        {
            "bpchar" or "varchar" when modifier >= HeaderSize => new() { Length = modifier - HeaderSize },
            "bit" or "varbit" => new() { Length = modifier },
            "numeric" when modifier >= HeaderSize => OfNumeric(modifier - HeaderSize),
            "time" or "timetz" or "timestamp" or "timestamptz" => new() { Precision = modifier },
            "interval" => OfInterval(modifier),
            _ => default,
        };
    }

    // The scale has 11 bits and a sign since PostgreSQL 15 (numeric_typmod_scale, numeric.c).
    private static TypeFacets OfNumeric(int modifier) =>
        new() { Precision = (modifier >> 16) & 0xFFFF, Scale = ((modifier & 0x7FF) ^ 1024) - 1024 };

    // Low half: precision, or 0xFFFF. High half: a bit for each field (intervaltypmodout, timestamp.c).
    private static TypeFacets OfInterval(int modifier) => new()
    {
        Precision = (modifier & 0xFFFF) is var precision and <= MaxIntervalPrecision ? precision : null,
        Fields = (modifier >> 16 & 0x7FFF) switch
        {
            Year => "year",
            Month => "month",
            Year | Month => "year to month",
            Day => "day",
            Hour => "hour",
            Minute => "minute",
            Second => "second",
            Day | Hour => "day to hour",
            Day | Hour | Minute => "day to minute",
            Day | Hour | Minute | Second => "day to second",
            Hour | Minute => "hour to minute",
            Hour | Minute | Second => "hour to second",
            Minute | Second => "minute to second",
            _ => null,
        },
    };

    // Bits of an interval's fields (utils/datetime.h).
    private const int Month = 1 << 1;
    private const int Year = 1 << 2;
    private const int Day = 1 << 3;
    private const int Hour = 1 << 10;
    private const int Minute = 1 << 11;
    private const int Second = 1 << 12;
}
