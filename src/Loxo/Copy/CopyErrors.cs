using Loxo.Session;
using Loxo.Types;

namespace Loxo.Copy;

/// <summary>The errors of COPY; each message says what became of the data and the connection.</summary>
internal static class CopyErrors
{
    /// <summary>What the server is told of an import that is not completed.</summary>
    public const string Cancelled = "the client has cancelled the import";

    private const string Usable = "The connection can be used.";

    /// <summary>The text is no COPY through the client.</summary>
    public static ArgumentException NotCopy(string parameter, CopyKind kind) => new(
        $"The text is not a single {Needed(kind)}. Run other statements, and COPY with a file on the server, as an ordinary command. "
        + "Nothing was sent.", parameter);

    /// <summary>The text copies in the other direction.</summary>
    public static ArgumentException WrongDirection(string parameter, CopyKind kind) => new(
        $"Expected {Needed(kind)}, but the text copies in the other direction. Nothing was sent.", parameter);

    /// <summary>The server copies in a direction or format that the caller did not ask for.</summary>
    public static ArgumentException WrongTransfer(string parameter, CopyKind kind, CopyExchange exchange) => new(
        $"Expected {Needed(kind)}, but the statement copies {(exchange.IsCopyingIn ? "to" : "from")} the server in "
        + $"{(exchange.IsBinary ? "binary" : "text")} format. Nothing was copied. {Usable}", parameter);

    /// <summary>The COPY ran without the client.</summary>
    public static InvalidOperationException NoTransfer() => new(
        "The statement has run, but it copied nothing through the client: run it as an ordinary command.");

    /// <summary>The table has other columns than the server copies.</summary>
    public static InvalidOperationException ColumnsDisagree(int known, int copied) => new(string.Create(CultureInfo.InvariantCulture,
        $"The server copies {copied} columns, but the catalogue names {known}: the table has just been changed. Nothing was copied. "
        + $"Begin again. {Usable}"));

    /// <summary>The copy is over.</summary>
    public static ObjectDisposedException Ended(string type) =>
        new(type, "The copy has ended: it was completed, cancelled or disposed, or an error has ended it.");

    /// <summary>A call comes while another one is at work.</summary>
    public static InvalidOperationException InUse() => new(
        "Another call of this copy has not ended: one thread at a time uses it, and awaits each asynchronous call before the next one. "
        + "Nothing of this call was done.");

    /// <summary>A row begins within another one.</summary>
    public static InvalidOperationException RowNotFinished(ulong row, int column, int columns) => new(string.Create(
        CultureInfo.InvariantCulture,
        $"Row {row} has only {column} of its {columns} values: write the others before the next row begins."));

    /// <summary>The import was completed within a row.</summary>
    public static InvalidOperationException CompletedInRow(ulong row, int column, int columns) => new(string.Create(
        CultureInfo.InvariantCulture,
        $"Row {row} has only {column} of its {columns} values, so the import has been cancelled: nothing was copied. {Usable}"));

    /// <summary>A value has no column.</summary>
    public static InvalidOperationException NoColumn(ulong row, int columns) => new(row == 0
        ? "No row has been started: call StartRow before the first value."
        : string.Create(CultureInfo.InvariantCulture,
            $"Row {row} has all of its {columns} values already: call StartRow for the next row."));

    /// <summary>A row has the wrong number of values.</summary>
    public static ArgumentException WrongCount(ulong row, int given, int columns) => new(string.Create(CultureInfo.InvariantCulture,
        $"Row {row} needs {columns} values, but {given} were given. Nothing of the row was written."));

    /// <summary>A value does not fit its column; the exception is of the same kind as the cause.</summary>
    public static Exception CannotWrite(ulong row, int ordinal, string name, Exception cause)
    {
        var message = string.Create(CultureInfo.InvariantCulture,
            $"Row {row}, column {ordinal + 1}{Quoted(name)} cannot be written: {cause.Message}");
        return cause switch
        {
            OverflowException => new OverflowException(message, cause),
            InvalidCastException => new InvalidCastException(message, cause),
            PgException own => new PgException(message, own.Code, cause),
            _ => new ArgumentException(message, cause),
        };
    }

    /// <summary>The types of .NET and PostgreSQL do not go together.</summary>
    public static InvalidCastException NotWritable(TypeEntry? type, uint oid, Type given) => type is { HasBinaryCodec: true }
        ? ConversionErrors.NotWritable(type, given)
        : new InvalidCastException(type is null
            ? oid == 0
                ? $"A value of .NET type {ClrNames.Of(given)} stands for no PostgreSQL type, and the column's type is not known."
                : string.Create(CultureInfo.InvariantCulture, $"The column's type (OID {oid}) is not known yet. Begin the import again.")
            : $"PostgreSQL type {type.DisplayName} has no binary form here, so a {ClrNames.Of(given)} cannot be written as it. "
                + "Copy in text or CSV format, with BeginTextImport.");

    /// <summary>A text holds a character that PostgreSQL does not store.</summary>
    public static ArgumentException NulInText(int index) => new(string.Create(CultureInfo.InvariantCulture,
        $"The text contains a NUL character at index {index}, which no text of PostgreSQL can hold."));

    /// <summary>A stream failed when a part of its value had been sent.</summary>
    public static PgException StreamFailed(ulong row, int ordinal, string name, long read, long length, Exception? cause) => new(
        string.Create(CultureInfo.InvariantCulture,
            $"Row {row}, column {ordinal + 1}{Quoted(name)}: the stream {(cause is null ? "ended" : "failed")} after {read} of {length} "
            + $"bytes{(cause is null ? "" : ": " + cause.Message)}. The import has been cancelled: nothing was copied. {Usable}"),
        PgErrorCode.ParameterInvalid, cause);

    /// <summary>A column cannot be read as the type asked for.</summary>
    public static InvalidCastException NotReadable(int ordinal, string name, TypeEntry? type, Type asked) => new(string.Create(
        CultureInfo.InvariantCulture, $"Column {ordinal + 1}{Quoted(name)} cannot be read as {ClrNames.Of(asked)}: ")
        + (type is null
            ? "its PostgreSQL type is not known. Name it: Read<T>(PgDbType)."
            : ConversionErrors.NotReadable(type, asked).Message));

    /// <summary>A column is NULL.</summary>
    public static InvalidCastException Null(int ordinal, string name, Type asked) => new(string.Create(CultureInfo.InvariantCulture,
        $"Column {ordinal + 1}{Quoted(name)} is NULL and cannot be read as {ClrNames.Of(asked)}: check IsNull, or ")
        + $"{TypeErrors.NullRemedy(asked)}.");

    /// <summary>There is no such column in the row.</summary>
    public static InvalidOperationException NoColumnToRead(bool hasRow) => new(hasRow
        ? "All columns of the row have been read: call StartRow for the next row."
        : "No row is being read: call StartRow, which returns -1 behind the last row.");

    /// <summary>The server has sent something that is no binary COPY.</summary>
    public static PgException Malformed(string why) =>
        new($"The data that the server copies is not in COPY's binary format: {why}. The connection has been closed.",
            PgErrorCode.ProtocolViolation);

    /// <summary>A stream works in one direction only.</summary>
    public static NotSupportedException OtherDirection(bool reads) => new(reads
        ? "The statement is COPY ... FROM STDIN: its stream can only be written to."
        : "The statement is COPY ... TO STDOUT: its stream can only be read from.");

    private static string Quoted(string name) => name.Length == 0 ? "" : $" \"{name}\"";

    private static string Needed(CopyKind kind) => kind switch
    {
        CopyKind.BinaryImport => "COPY ... FROM STDIN (FORMAT binary)",
        CopyKind.BinaryExport => "COPY ... TO STDOUT (FORMAT binary)",
        CopyKind.TextImport => "COPY ... FROM STDIN in text or CSV format",
        CopyKind.TextExport => "COPY ... TO STDOUT in text or CSV format",
        _ => "COPY ... FROM STDIN or TO STDOUT (FORMAT binary)",
    };
}
