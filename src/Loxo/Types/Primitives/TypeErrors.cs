using System.Globalization;

namespace Loxo.Types;

/// <summary>
/// What can be wrong with a value. The texts say what the value is, what it should become and what would work; the reader or the
/// command adds which column or parameter it was.
/// </summary>
internal static class TypeErrors
{
    /// <summary>The bytes are no value of the type: a broken peer, or a type whose OID was taken for another's.</summary>
    public static PgException Malformed(string type, string why) => new(
        $"The server sent bytes that are not a value of PostgreSQL type {type}: {why}.", PgErrorCode.ConversionFailed);

    public static PgException WrongLength(string type, int expected, int actual) => Malformed(type, string.Create(
        CultureInfo.InvariantCulture, $"expected {expected} bytes, got {actual}"));

    /// <summary>Of a type whose binary form is nobody's but the server's.</summary>
    public static PgException TextOnly(string type) => new(
        $"PostgreSQL type {type} can be read as text only. Cast it to text in SQL.", PgErrorCode.NotSupported);

    /// <summary>A value that PostgreSQL has but the asked .NET type has not, or the other way round.</summary>
    public static OverflowException OutOfRange(string what, string target, string remedy) =>
        new($"{what} does not fit into {target}. {remedy}.");

    /// <summary>A value whose kind, not its size, has no counterpart on the other side.</summary>
    public static InvalidCastException NoForm(string what, string target, string remedy) =>
        new($"{what} cannot become {target}. {remedy}.");

    /// <summary>A .NET type that values of the PostgreSQL type are not read as.</summary>
    public static InvalidCastException NotReadable(TypeEntry type, Type asked) => new(
        $"PostgreSQL type {type.DisplayName} cannot be read as {ClrNames.Of(asked)}. Read it as {Alternatives(type)}.");

    /// <summary>A .NET type that values of the PostgreSQL type are not written from.</summary>
    public static InvalidCastException NotWritable(TypeEntry type, Type given) => new(
        $"A value of .NET type {ClrNames.Of(given)} cannot be written as PostgreSQL type {type.DisplayName}. " +
        (IsJagged(given) ? JaggedRemedy : $"Give {Alternatives(type)}, or name another PostgreSQL type."));

    /// <summary>What to do with an array of arrays.</summary>
    public const string JaggedRemedy = "An array of PostgreSQL is rectangular, an array of arrays is not: give an array of several dimensions, such as int[,].";

    /// <summary>Whether a .NET type is an array of arrays, other than those of bytes or characters.</summary>
    public static bool IsJagged(Type type) =>
        type.IsArray && type.GetElementType() is { IsArray: true } inner && inner != typeof(byte[]) && inner != typeof(char[]);

    private static string Alternatives(TypeEntry type)
    {
        // Nullable forms and lists go without saying.
        var names = type.ClrTypes
            .Where(clrType => type.Element is null || !type.HasBinaryCodec ? Nullable.GetUnderlyingType(clrType) is null : clrType.IsArray)
            .Select(ClrNames.Of).ToList();
        return names.Count == 1 ? names[0] : string.Join(", ", names.Take(names.Count - 1)) + " or " + names[^1];
    }
}
