using Loxo.Transport;

namespace Loxo.Session;

/// <summary>The errors of a session and its commands; each message says whether the connection can still be used.</summary>
internal static class SessionErrors
{
    /// <summary>The server's error, with DETAIL only if asked for. Where there are several servers, it may tell of this one.</summary>
    public static PostgresException FromServer(ServerErrorFields fields, SessionContext context, long? failedRow = null)
    {
        context.Host?.Refused(fields.SqlState);
        return FromServer(fields, context.Settings, failedRow);
    }

    /// <summary>The server's error, with DETAIL only if asked for.</summary>
    public static PostgresException FromServer(ServerErrorFields fields, SessionSettings settings, long? failedRow = null)
    {
        var error = new PostgresException(fields, settings.IncludeErrorDetail);
        // = ANY(@ids) with anything but an array (parse_oper.c).
        if (fields is { SqlState: SqlStates.WrongObjectType, Routine: "make_scalar_array_op" })
            error = error.AddNote(" (pass an array or a list; with Dapper, call LoxoDapper.Register(): without it, Dapper expands lists)");
        error.FailedRow = failedRow;
        return error;
    }

    /// <summary>A command could not begin. The session may be idle by now.</summary>
    public static Exception NotIdle(ServerSession session, ISessionListener? owner = null) => session.State switch
    {
        SessionState.Broken => Broken(session.BreakCause, session.Context.Settings.IsLikeNpgsql),
        SessionState.Opening => new InvalidOperationException("The connection is still being opened."),
        _ => new PgOperationInProgressException(session.Command.Running ?? owner?.CommandInProgress),
    };

    private static Exception Broken(Exception? cause, bool isLikeNpgsql)
    {
        var message = "The connection is broken and can only be closed: " + (cause?.Message ?? "an earlier error ended it.");
        return isLikeNpgsql
            ? new InvalidOperationException(message, cause)
            : new PgException(message, PgErrorCode.ConnectionClosed, cause);
    }

    /// <summary>The session was closed by its user.</summary>
    public static PgException Closed() => new("The connection has been closed.", PgErrorCode.ConnectionClosed);

    /// <summary>Another thread has closed the connection before its command could begin.</summary>
    public static PgException GivenBack() =>
        new("The connection was closed by another thread, or its transaction ended, before the command began.",
            PgErrorCode.ConnectionClosed);

    /// <summary>A command was asked to stop, and the connection broke with it.</summary>
    /// <param name="reason">Why it was asked.</param>
    /// <param name="cause">How the connection broke.</param>
    /// <param name="hasKey">Whether the server has sent the key without which it cannot be asked.</param>
    public static Exception Stopped(StopReason reason, Exception cause, bool hasKey)
    {
        var fate = hasKey
            ? "the server did not stop it within 'Cancellation Timeout'. The connection has been closed."
            : "the server cannot be asked to stop it, as it sent no key for that (BackendKeyData). The connection has been closed.";
        return reason switch
        {
            StopReason.Timeout => new PgException(
                "The command took longer than its timeout allows, and " + fate,
                PgErrorCode.Timeout, cause as TimeoutException ?? new TimeoutException("The server did not answer in time.", cause)),
            StopReason.RolledBack => new PgException(
                "The ambient transaction was rolled back while its command ran, and " + fate, PgErrorCode.TransactionRolledBack, cause),
            _ => new OperationCanceledException("The command was cancelled, but " + fate, cause),
        };
    }

    /// <summary>The server has confirmed a stop that the driver asked for.</summary>
    public static Exception Confirmed(StopReason reason, PostgresException error, CancellationToken token) => reason switch
    {
        StopReason.Timeout => new PgException(
            "The command took longer than its timeout allows; the server has stopped it. The connection can be used.",
            PgErrorCode.Timeout, new TimeoutException("The command took longer than its timeout allows.", error)),
        StopReason.RolledBack => new PgException(
            "The ambient transaction was rolled back while the command ran, because its time was over or another participant failed; the "
            + "server has stopped the command.",
            PgErrorCode.TransactionRolledBack, error),
        _ => new OperationCanceledException("The command was cancelled; the server has stopped it. The connection can be used.", error,
            token),
    };

    /// <summary>A command was stopped during a lookup, before it was sent.</summary>
    public static Exception StoppedBefore(StopReason reason, CancellationToken token) =>
        StoppedEarly(reason, "The command", "before it was sent. The connection can be used.", token);

    /// <summary>A command or COPY was stopped, and the server did not have to be asked, or nothing of it stays.</summary>
    /// <param name="reason">Why.</param>
    /// <param name="subject">What was stopped.</param>
    /// <param name="fate">How far it had come.</param>
    /// <param name="token">The caller's.</param>
    public static Exception StoppedEarly(StopReason reason, string subject, string fate, CancellationToken token) => reason switch
    {
        StopReason.Timeout => new PgException($"{subject} took longer than its timeout allows, {fate}", PgErrorCode.Timeout,
            new TimeoutException($"{subject} took longer than its timeout allows.")),
        StopReason.RolledBack => new PgException(
            $"The ambient transaction was rolled back, because its time was over or another participant failed. {subject} was stopped "
            + fate,
            PgErrorCode.TransactionRolledBack),
        _ => new OperationCanceledException($"{subject} was cancelled {fate}", token),
    };

    /// <summary>The server refused a statement without which the session cannot go on to another user.</summary>
    public static PgException ResetRefused(PostgresException cause) => new(
        $"The server refused to reset the session for its next use ({cause.MessageText}), so the connection has been closed.",
        PgErrorCode.ConnectionClosed, cause);

    /// <summary>The cancel request of an earlier command never came to its end.</summary>
    public static PgException CancelNotSettled() => new(
        "The cancel request of an earlier command did not come to its end within 'Cancellation Timeout'. "
        + "It may still arrive and must not hit another command, so the connection has been closed.",
        PgErrorCode.ConnectionClosed, new TimeoutException("The cancel request was not answered in time."));

    /// <summary>The answer to a Sync of <see cref="KeepAlive"/> is missing.</summary>
    public static PgException NoSignOfLife() => new(
        "The server was asked for a sign of life ('Keepalive') and has not answered within 'Command Timeout', "
        + "so the connection has been closed.",
        PgErrorCode.ConnectionClosed, new TimeoutException("The server did not answer in time."));

    /// <summary>COPY FROM STDIN or TO STDOUT ran as an ordinary command.</summary>
    public static ServerErrorFields CopyInCommand() => new()
    {
        Severity = "ERROR",
        InvariantSeverity = "ERROR",
        SqlState = "0A000",
        MessageText = "COPY FROM STDIN and COPY TO STDOUT cannot run as an ordinary command; use BeginBinaryImport, BeginTextExport and "
            + "the like, or COPY with a file on the server.",
    };

    /// <summary>
    /// COPY through the client is one of several statements, or in a pipeline. Behind COPY FROM STDIN the server would lose its place
    /// (CopyGetData, copyfromparse.c); to COPY TO STDOUT it sees no error, so the others would have an effect.
    /// </summary>
    public static PgException CopyAmongOthers() => new(
        "COPY FROM STDIN and COPY TO STDOUT cannot run together with other statements, nor in a pipeline; use BeginBinaryImport, "
        + "BeginTextExport and the like, or COPY with a file on the server. Nothing was sent.", PgErrorCode.NotSupported);

    /// <summary>The server copies from the client although no text was known as COPY FROM STDIN, in front of other statements.</summary>
    public static PgException CopyInBatch() => new(
        "COPY FROM STDIN cannot run as an ordinary command; use BeginBinaryImport and the like, or COPY with a file on the server. "
        + "Other statements were sent behind it, so the connection has been closed.", PgErrorCode.NotSupported);

    /// <summary>A row in pieces is read forward only.</summary>
    public static InvalidOperationException ColumnPassed(int ordinal, int current) => new(
        $"Column {ordinal} has been passed: with CommandBehavior.SequentialAccess the columns of a long row are read in their order, "
        + $"and the reader is at column {current}. Read them in order, or leave SequentialAccess out.");

    /// <summary>Some of a column was taken as a stream, so its value cannot be read any more.</summary>
    public static InvalidOperationException ColumnTakenInPart(int ordinal) => new(
        $"Column {ordinal} has been read in part, and with CommandBehavior.SequentialAccess what was read of a long row is not kept. "
        + "Read it once, either as a stream or as a value, or leave SequentialAccess out.");

    /// <summary>Opening took too long.</summary>
    public static PgException OpenTimedOut(HostAddress host, string doing) => TransportErrors.OpenTimedOut(host, doing);

    /// <summary>The connection was lost while a command was queued.</summary>
    public static PgException LostInQueue(Exception cause, bool mayHaveRun)
    {
        var lost = cause as PgException ?? TransportErrors.Lost(cause);
        return new(
            lost.Message.TrimEnd('.') + ". " + (mayHaveRun
                ? "It is not known whether the server has run this command."
                : "This command had not been sent, so the server has not run it."),
            lost is PostgresException ? PgErrorCode.ConnectionClosed : lost.Code, lost);
    }

    /// <summary>A cancel signal has hit the commit of commands that shared a transaction.</summary>
    public static PgException CommitCancelled() => new(
        "A cancel signal has reached the server while it committed this command and others. It is not known whether they have run.",
        PgErrorCode.Cancelled);

    /// <summary>The server has undone a command with the others of its transaction, and it cannot be sent again.</summary>
    public static PgException UndoneWithGroup(Exception? cause) => new(
        "The server has undone this command with others that shared its transaction, of which one had failed, and the connection ended "
        + "before it could be sent again. It has no effect.",
        PgErrorCode.ConnectionClosed, cause);

    /// <inheritdoc cref="GivenUp(StopReason, CancellationToken, bool)"/>
    public static Exception GivenUp(CommandExchange exchange, CancellationToken token) => GivenUp(
        exchange.GivenUpFor, token, wasAsked: exchange.Session.State is SessionState.Cancelling or SessionState.Unsettled);

    /// <summary>The caller of a queued command has given it up.</summary>
    /// <param name="reason">Why.</param>
    /// <param name="token">Carried by the exception of a cancellation.</param>
    /// <param name="wasAsked">Whether the server was asked to stop, because nobody waited for any command on its way.</param>
    public static Exception GivenUp(StopReason reason, CancellationToken token, bool wasAsked = false)
    {
        var fate = (wasAsked ? "The server was asked to stop it; it may have run."
            : "Other commands may share its session, so the server was not asked to stop it: it may run.") + " The connection can be used.";
        return reason == StopReason.Timeout
            ? new PgException("The command took longer than its timeout allows. " + fate, PgErrorCode.Timeout,
                new TimeoutException("The command took longer than its timeout allows."))
            : new OperationCanceledException("The command was cancelled. " + fate, token);
    }

    /// <summary>The server has skipped a command because an earlier one of its group had failed, or was not sent.</summary>
    public static PgException Skipped(CommandExchange? failed, SessionSettings settings)
    {
        var cause = failed?.Failure ?? (failed?.Query.Error is { } error ? FromServer(error, settings) : null);
        var why = (cause as PostgresException)?.MessageText ?? cause?.Message.TrimEnd('.');
        return new PgException(
            "The server has skipped this command, because an earlier one of its group had failed" + (why is null ? "." : $": {why}.")
            + " The group is undone, but for what a statement of it has committed by itself. The connection can be used.",
            PgErrorCode.PipelineAborted, cause);
    }

    /// <summary>A command of a pipeline was stopped at the server, while its group went on.</summary>
    public static Exception GroupCancelled() => StoppedEarly(
        StopReason.Cancel, "A command of the group", "before all of the group was sent.", CancellationToken.None);

    /// <summary>The caller of the end of a group has given it up.</summary>
    /// <inheritdoc cref="GivenUp(StopReason, CancellationToken, bool)"/>
    public static Exception GroupGivenUp(StopReason reason, CancellationToken token, bool wasAsked)
    {
        var fate = (wasAsked ? "The server was asked to stop it; it may have been committed."
            : "Other commands may be wanted, so the server was not asked to stop it: it may be committed.")
            + " The connection can be used.";
        return reason == StopReason.Timeout
            ? new PgException("The group of commands took longer than the timeout allows. " + fate, PgErrorCode.Timeout,
                new TimeoutException("The group of commands took longer than the timeout allows."))
            : new OperationCanceledException("The wait for the end of the group was cancelled. " + fate, token);
    }

    /// <summary>A value is streamed in a command that shares its session.</summary>
    public static PgException StreamInQueue() => new(
        "A command that is sent together with others cannot take a value from a stream: read the stream into memory first. "
        + "Nothing of the command was sent.",
        PgErrorCode.NotSupported);

    /// <summary>A value is streamed in a command that runs for many rows.</summary>
    public static PgException StreamInRows() => new(
        "A command that runs for many rows cannot take a value from a stream: read the stream into memory first. "
        + "The rows before it are undone.",
        PgErrorCode.NotSupported);

    /// <summary>A command for many rows was stopped before all of them were written.</summary>
    public static Exception StoppedWithinRows(StopReason reason, CancellationToken token) => StoppedEarly(
        reason, "The command", "before all of its rows were sent. Those that were sent are undone. The connection can be used.", token);

    /// <summary>The server has refused BEGIN, and other commands were sent behind it.</summary>
    public static PgException BeginRefused() => new(
        "The server has refused BEGIN, and commands that were to run in the transaction had been sent already. "
        + "The connection has been closed.",
        PgErrorCode.ConnectionClosed);
}
