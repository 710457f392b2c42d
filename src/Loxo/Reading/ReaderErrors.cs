using Loxo.Session;
using Loxo.Types;

namespace Loxo.Reading;

internal static class ReaderErrors
{
    public static InvalidOperationException Closed(bool isDisposed) => isDisposed
        ? new ObjectDisposedException(nameof(PgDataReader), "The reader is disposed.")
        : new InvalidOperationException("The reader is closed: Close was called, or its connection has been closed.");

    public static InvalidOperationException InUse() => new(
        "Another call is at work on this reader. Use a reader by one thread at a time, and await each call before the next.");

    public static InvalidOperationException HasMovedOn() => new(
        "The reader was moved on or closed by another thread meanwhile, so the value may not be that of its row. "
        + "Use a reader by one thread at a time.");

    public static InvalidOperationException NoRow() =>
        new("There is no row to read: call Read first, and read values only while it returned true.");

    public static InvalidOperationException NoResult() =>
        new("There is no result to read: no statement has returned one, or NextResult has passed the last one.");

    /// <summary>A command cannot be changed under its reader.</summary>
    public static void ThrowIfRead(PgConnection? connection, PgCommand command)
    {
        if (connection?.Reader is { IsClosed: false } reader && ReferenceEquals(reader.Owner, command))
            throw new InvalidOperationException(
                "A reader of this command is open. Close it before the command is changed, or use another command.");
    }

    public static ObjectDisposedException StreamEnded(string why) => new(
        nameof(Stream), $"The value cannot be read from this stream any more: {why}. Read it before that, or copy it.");

    public static InvalidOperationException NestedEnded() => new(
        "The nested reader cannot be read any more: the reader that it comes from has left the row that it belongs to, or was closed. "
        + "Read it before that.");

    public static Exception NotNested(ResultColumn column, int ordinal) => CannotRead(column, ordinal, TypeErrors.NoForm(
        column.Type is { } type
            ? $"A value of PostgreSQL type {type.DisplayName}"
            : string.Create(CultureInfo.InvariantCulture,
                $"A value of the type with OID {column.Description.TypeOid}, which is not known here,"),
        ClrNames.Of(typeof(PgNestedDataReader)),
        "Records, composites and arrays of them with one dimension have rows and fields; read others with GetValue or GetFieldValue"));

    public static Exception NestedInText(ResultColumn column, int ordinal) => CannotRead(column, ordinal, new PgException(
        "it has come in text format, and only in binary format are its fields told apart. "
        + "Let the result come in binary format, or select the fields as columns of their own.", PgErrorCode.NotSupported));

    public static Exception NotJson(ResultColumn column, int ordinal, Type asked) => CannotRead(column, ordinal, TypeErrors.NoForm(
        "A value that is not text", ClrNames.Of(asked) + " as JSON", "Cast it with to_jsonb in SQL"));

    public static InvalidOperationException NestedInPieces(ResultColumn column, int ordinal) => new(
        $"{Name(column, ordinal)} cannot be read by a nested reader: with CommandBehavior.SequentialAccess a long row arrives in pieces, "
        + "and a nested reader needs the value whole. "
        + "Leave SequentialAccess out, or read the value with GetValue or GetFieldValue.");

    public static IndexOutOfRangeException NoColumn(int ordinal, int count) => new(string.Create(CultureInfo.InvariantCulture,
        $"There is no column {ordinal}: the result has {count}, counted from 0."));

    public static IndexOutOfRangeException NoColumn(string name) => new($"There is no column named '{name}' in the result.");

    public static InvalidCastException IsNull(ResultColumn column, int ordinal, Type asked) => new(
        $"{Name(column, ordinal)} is NULL, which {asked} cannot hold. Ask IsDBNull first, or {TypeErrors.NullRemedy(asked)}.");

    public static Exception WrongType(ResultColumn column, int ordinal, Type asked) => CannotRead(column, ordinal, column.Type is { } type
        ? ConversionErrors.NotReadable(type, asked)
        : new InvalidCastException(string.Create(CultureInfo.InvariantCulture,
            $"the type with OID {column.Description.TypeOid} is not known here and is read as a string only, not as {asked}.")));

    /// <summary>The same kind of exception, with the column in front. A type that has changed is looked up again.</summary>
    public static Exception CannotRead(ResultColumn column, int ordinal, Exception cause)
    {
        if (cause is PgException { IsTypeOutdated: true })
            column.Types?.MarkOutdated();
        var message = $"{Name(column, ordinal)} of type {column.Type?.DisplayName ?? "unknown"} cannot be read: {cause.Message}";
        return cause switch
        {
            { InnerException: System.Text.Json.JsonException json } when column.IsLikeNpgsql =>
                new System.Text.Json.JsonException(message, json.Path, json.LineNumber, json.BytePositionInLine, cause),
            InvalidCastException or System.Text.Json.JsonException => new InvalidCastException(message, cause),
            OverflowException => new OverflowException(message, cause),
            PgException error => new PgException(message, error.Code, cause),
            _ => new PgException(message, PgErrorCode.ConversionFailed, cause),
        };
    }

    private static string Name(ResultColumn column, int ordinal) =>
        string.Create(CultureInfo.InvariantCulture, $"{(column.IsField ? "Field" : "Column")} '{column.Name}' (ordinal {ordinal})");
}
