namespace Loxo.Conformance.Conversions;

/// <summary>An intended difference from Npgsql, for all cells that match. A star stands for anything, at the end of a word for its rest.</summary>
/// <param name="Types">Types of columns, divided by spaces.</param>
/// <param name="Value">The value.</param>
/// <param name="Targets">The .NET types, divided by spaces.</param>
/// <param name="Loxo">What Loxo answers.</param>
/// <param name="Npgsql">What Npgsql answers.</param>
/// <param name="Reason">Why.</param>
internal sealed record Difference(string Types, string Value, string Targets, string Loxo, string Npgsql, string Reason)
{
    public bool Covers(Cell cell, string ours, string theirs) => AnyMatches(Types, cell.Type) && Matches(Value, cell.Value)
        && AnyMatches(Targets, cell.Target) && Matches(Loxo, ours) && Matches(Npgsql, theirs);

    private static bool AnyMatches(string patterns, string text) => patterns.Split(' ').Any(pattern => Matches(pattern, text));

    private static bool Matches(string pattern, string text) => pattern == text
        || (pattern.EndsWith('*') && text.StartsWith(pattern[..^1], StringComparison.Ordinal));
}

/// <summary>The intended differences.</summary>
internal static class Differences
{
    private const string Cast = nameof(InvalidCastException), Overflow = nameof(OverflowException);
    private const string Integers = "Byte SByte Int16 Int32 Int32? Int64 UInt16 UInt32 UInt64";

    public static readonly IReadOnlyList<Difference> Listed =
    [
        new("*", Matrix.Null, "Int32? Boolean? Guid?", "null", Cast, "NULL of any type is null."),
        new("json jsonb", "*", "*", "*", Cast, "JSON is read as the object that it describes, without EnableDynamicJson."),
        new("json jsonb", "*", "Char", Cast, "Char*", "A text of several characters is no character."),
        new("int8", "*", "UInt32 UInt64", "*", Cast, "Every integer is read as every type of integer that holds it."),
        new("numeric", "*", "SByte UInt16 UInt32 UInt64", "*", Cast, "As above."),
        new("numeric", "NaN", Integers + " Decimal Object", Overflow, Cast, "NaN is no matter of the type, but out of its range."),
        new("numeric", "NaN", "Single Double", "*", Cast, "Floating-point numbers have a NaN."),
        new("numeric", "1e40", "Double", "Double 1E+40", Overflow, "It fits."),
        new("numeric", "0.1", Integers, Cast, "*", "Nothing is cut off silently."),
        new("float8", "*", "Single", Overflow, "Single *", "A finite number does not become infinite silently."),
        new("*", "*", "String TextReader String[]", "*", Cast, "Types whose values do not all fit a .NET type are read as text, too, and so are their arrays."),
        new("regclass pg_snapshot", "*", "Object Stream UInt32", "*", Cast, "Npgsql does not read these types."),
        new("jsonpath", "*", "Byte[] Char Char[]", "*", Cast, "It is text, like json."),
        new("numeric[]", "{0,0.1,1e40}", "Byte[] Int32[] List<Int32>", Cast, Overflow, "The first value that does not fit is refused."),
        new("daterange tsrange tstzrange", "*", "Object", "PgRange`1 *", "PgRange`1 *", "The text of a range is the server's, in every culture."),
        new("tsvector", "*", "Object", "PgTsVector *", "PgTsVector *", "The class of a lexeme has another name: PgTsVectorLexeme."),
        new("text varchar name xml", "", "Char", Cast, "NpgsqlException", "Empty text is no character, as ADO.NET demands."),
        new("text varchar char(3) xml", "*", "Char", Cast, "Char *", "A text of several characters is no character."),
        new("text[]", "{\"\"}", "Char[]", Cast, "NpgsqlException", "Empty text is no character, as ADO.NET demands."),
        new("varbit", "", "Boolean Boolean?", Cast, "Boolean *", "No bit is neither true nor false."),
        new("date", "4713-01-01 BC", "DateTime DateOnly Object", Overflow, nameof(ArgumentOutOfRangeException), "Out of range is an overflow."),
        new("timestamptz", "infinity", "DateTime Object", "DateTime 9999*", "DateTime 9999*", "A timestamptz is in UTC, also where it is infinite."),
        new("timestamptz[]", "*", "Object", "DateTime[] *", "DateTime[] *", "As above."),
        new("interval", "-178000000 years", "TimeSpan Object", Cast, "TimeSpan *", "Years have no length in days."),
        new("jsonb jsonpath", "*", "Stream", "Stream *", "Stream 01*", "The stream is the text, without the version in front."),
    ];

    public static Difference? Of(Cell cell, string ours, string theirs) => Listed.FirstOrDefault(one => one.Covers(cell, ours, theirs));
}
