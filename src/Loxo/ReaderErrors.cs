using System.Globalization;
using Loxo.Session;
using Loxo.Types;

namespace Loxo;

/// <summary>What can go wrong when a reader is read, said with the column's name and ordinal.</summary>
internal static class ReaderErrors
{
    public static InvalidOperationException Closed() => new("The reader is closed: it has been disposed, or its connection has.");

    public static InvalidOperationException NoRow() => new("There is no row to read: call Read first, and read values only while it returned true.");

    public static ObjectDisposedException StreamEnded(string why) => new(
        nameof(Stream), $"The value cannot be read from this stream any more: {why}. Read it before that, or copy it.");

    public static IndexOutOfRangeException NoColumn(int ordinal, int count) => new(string.Create(CultureInfo.InvariantCulture,
        $"There is no column {ordinal}: the result has {count}, counted from 0."));

    public static IndexOutOfRangeException NoColumn(string name) => new($"There is no column named '{name}' in the result.");

    public static InvalidCastException IsNull(ResultColumn column, int ordinal, Type asked) => new(string.Create(CultureInfo.InvariantCulture,
        $"{Name(column, ordinal)} is NULL, which {asked} cannot hold. Ask IsDBNull first, or read it as a nullable type."));

    public static Exception WrongType(ResultColumn column, int ordinal, Type asked) => CannotRead(column, ordinal, column.Type is { } type
        ? TypeErrors.NotReadable(type, asked)
        : new InvalidCastException(string.Create(CultureInfo.InvariantCulture,
            $"the type with OID {column.Description.TypeOid} is not known here and is read as a string only, not as {asked}.")));

    /// <summary>The same kind of exception, with the column in front.</summary>
    public static Exception CannotRead(ResultColumn column, int ordinal, Exception cause)
    {
        var message = $"{Name(column, ordinal)} of type {column.Type?.DisplayName ?? "unknown"} cannot be read: {cause.Message}";
        return cause switch
        {
            InvalidCastException => new InvalidCastException(message, cause),
            OverflowException => new OverflowException(message, cause),
            PgException error => new PgException(message, error.Code, cause),
            _ => new PgException(message, PgErrorCode.ConversionFailed, cause),
        };
    }

    private static string Name(ResultColumn column, int ordinal) =>
        string.Create(CultureInfo.InvariantCulture, $"Column '{column.Name}' (ordinal {ordinal})");
}
