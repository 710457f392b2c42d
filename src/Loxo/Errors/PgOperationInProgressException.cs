using System.Data.Common;

namespace Loxo;

/// <summary>A command was started on a connection that still runs another one. A PostgreSQL session runs one command at a time.</summary>
public sealed class PgOperationInProgressException : PgException
{
    private const int LongestText = 100;

    /// <summary>Makes the exception for the command that is in the way.</summary>
    /// <param name="commandInProgress">The command that still runs, or whose reader is still open; null if it is not known.</param>
    public PgOperationInProgressException(DbCommand? commandInProgress)
        : this(Describe(commandInProgress), commandInProgress)
    {
    }

    internal PgOperationInProgressException(string message, DbCommand? commandInProgress)
        : base(message, PgErrorCode.ConnectionBusy) => CommandInProgress = commandInProgress;

    /// <summary>The command that still runs, or whose reader is still open; null if something else does, such as a COPY.</summary>
    public DbCommand? CommandInProgress { get; }

    private static string Describe(DbCommand? command)
    {
        var which = command is null ? "" : $": \"{Shorten(command.CommandText)}\"";
        return $"A command is already in progress on this connection{which}. Read its results to the end or dispose its reader first, and "
            + "await asynchronous calls; a connection runs one command at a time, so concurrent work needs a connection each.";
    }

    private static string Shorten(string? sql)
    {
        // A text may be megabytes long; only its start is looked at.
        var start = sql is { Length: > 4 * LongestText } ? sql[..(4 * LongestText)] : sql ?? "";
        var oneLine = string.Join(' ', start.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries));
        if (oneLine.Length <= LongestText)
            return start.Length < (sql?.Length ?? 0) ? oneLine + "..." : oneLine;
        var end = char.IsHighSurrogate(oneLine[LongestText - 1]) ? LongestText - 1 : LongestText;
        return oneLine[..end] + "...";
    }
}
