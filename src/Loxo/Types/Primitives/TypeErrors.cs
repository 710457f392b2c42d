namespace Loxo.Types;

/// <summary>Errors of single values, which name value, target and remedy. The caller adds the column or parameter.</summary>
internal static class TypeErrors
{
    private const int ShownBytes = 40;

    /// <summary>The bytes are no value of the type: a broken peer, or a type whose OID was taken for another's.</summary>
    public static PgException Malformed(string type, string why) => new(MalformedText(type, why), PgErrorCode.ConversionFailed);

    public static PgException Malformed(string type, ReadOnlySpan<byte> text, string? remedy = null)
    {
        var shown = Encoding.UTF8.GetString(text[..Math.Min(text.Length, ShownBytes)]);
        var dots = text.Length > ShownBytes ? "..." : "";
        return Malformed(type, $"the text is '{shown}'{dots}{(remedy is null ? "" : "; " + remedy)}");
    }

    public static PgException WrongLength(string type, int expected, int actual) => Malformed(type, string.Create(
        CultureInfo.InvariantCulture, $"expected {expected} bytes, got {actual}"));

    /// <summary>The value has other fields than the description of its type. Whoever reads it has the type looked up again.</summary>
    public static PgException Changed(string type) => new(
        MalformedText(type, "it has other fields than the type had when it was looked up; the next command will know the new ones"),
        PgErrorCode.ConversionFailed) { IsTypeOutdated = true };

    public static PgException TextOnly(string type) => new(
        $"PostgreSQL type {type} can be read as text only. Cast it to text in SQL.", PgErrorCode.NotSupported);

    public static OverflowException OutOfRange(string what, string target, string remedy) =>
        new($"{what} does not fit into {target}. {remedy}.");

    /// <summary>The value's kind, not its size, has no counterpart in its target.</summary>
    public static InvalidCastException NoForm(string what, string target, string remedy) =>
        new($"{what} cannot become {target}. {remedy}.");

    /// <summary>The value has a counterpart in its target, but its kind or offset says that another is meant.</summary>
    public static ArgumentException WrongKind(string what, string target, string remedy) =>
        new($"{what} cannot become {target}. {remedy}.");

    /// <summary>How a NULL can be read that the type which was asked for cannot hold.</summary>
    public static string NullRemedy(Type asked) =>
        asked.IsValueType ? "read it as a nullable type" : "read it as object, which can be DBNull.Value";

    private static string MalformedText(string type, string why) =>
        $"The server sent bytes that are not a value of PostgreSQL type {type}: {why}.";
}
