using Loxo.Protocol;
using Loxo.Session;

namespace Loxo;

/// <summary>
/// Errors that come from the formats that a result was asked for in: a type that the server cannot send in binary, and formats that were
/// remembered for a result whose columns are others now. What was learned from the answer makes the next run right.
/// </summary>
internal static class WrongFormats
{
    /// <summary>
    /// Whether the command failed because a column cannot be sent in binary, which the server finds out with the first row, and can run again with what was learned:
    /// it is one query that provably changes nothing.
    /// </summary>
    public static bool AreMended(ServerSession session, ServerErrorFields error) =>
        IsNoBinaryOutput(error) && session.TransactionStatus == TransactionStatus.Idle
        && session.Query is { ChangesNothing: true, Runs: [{ Sql: not null, FormatsAreChosen: false, Remembered.Length: 0, Shape.Formats.Length: > 0 }] };

    /// <summary>Explains an error where the command cannot run again unseen.</summary>
    public static Exception Explain(ServerErrorFields fields, PostgresException error) => IsOtherColumns(fields)
        ? new PgException(
            $"The result has other columns than when the same text ran before: {error.MessageText}. Run it again, after a rollback if a transaction failed with it.",
            PgErrorCode.NotSupported, error)
        : error;

    /// <summary>Whether the server has no function that sends a type in binary: of a column itself, or of elements within an array, range or multirange.</summary>
    public static bool IsNoBinaryOutput(ServerErrorFields error) => error is
    {
        SqlState: SqlStates.UndefinedFunction,
        Routine: "getTypeBinaryOutputInfo" or "array_send" or "get_range_io_data" or "get_multirange_io_data",
    };

    /// <summary>Whether formats that were remembered do not fit the columns. PortalSetResultFormat (pquery.c) fails before anything is executed.</summary>
    public static bool IsOtherColumns(ServerErrorFields error) =>
        error is { SqlState: SqlStates.ProtocolViolation, Routine: "PortalSetResultFormat" };
}
