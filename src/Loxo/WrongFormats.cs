using Loxo.Session;

namespace Loxo;

/// <summary>
/// Errors that come from the formats that a result was asked for in: a type that the server cannot send in binary, and formats that were
/// remembered for a result whose columns are others now. What was learned from the answer makes the next run right.
/// </summary>
internal static class WrongFormats
{
    /// <summary>Whether the command that has just failed failed for such a reason, and what was learned makes the next run right.</summary>
    public static bool AreMended(QueryExchange query, ServerErrorFields error) =>
        query.Runs is [{ Sql: not null, FormatsAreChosen: false } run]
        && (IsNoBinaryOutput(error) ? run.Remembered.Length == 0 && run.Shape is { Formats.Length: > 0 } : IsOtherColumns(error) && run.Remembered.Length > 0);

    /// <summary>What to throw where the command cannot run again unseen.</summary>
    public static Exception Explain(ServerErrorFields fields, PostgresException error) =>
        IsNoBinaryOutput(fields) ? new PgException(
            $"The result has a column that the server cannot send in binary format: {error.MessageText}. Run it again (after a rollback, if a transaction failed with it): "
            + "from now on the driver asks for that column as text. To avoid the first failure call Prepare(), or cast the column to text in SQL.",
            PgErrorCode.NotSupported, error)
        : IsOtherColumns(fields) ? new PgException(
            $"The result has other columns than when the same text ran before: {error.MessageText}. Run it again, after a rollback if a transaction failed with it.",
            PgErrorCode.NotSupported, error)
        : error;

    /// <summary>Whether the server has no function that sends a type in binary: of a column itself, or of elements within an array, range or multirange.</summary>
    public static bool IsNoBinaryOutput(ServerErrorFields error) => error is
    {
        SqlState: SqlStates.UndefinedFunction,
        Routine: "getTypeBinaryOutputInfo" or "array_send" or "get_range_io_data" or "get_multirange_io_data",
    };

    // PortalSetResultFormat (pquery.c) fails before anything is executed.
    private static bool IsOtherColumns(ServerErrorFields error) =>
        error is { SqlState: SqlStates.ProtocolViolation, Routine: "PortalSetResultFormat" };
}
