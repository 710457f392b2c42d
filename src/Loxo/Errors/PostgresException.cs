namespace Loxo;

/// <summary>An error that the server reported. The connection stays usable unless the severity is FATAL or PANIC.</summary>
public sealed class PostgresException : PgException
{
    /// <summary>Makes an error without optional fields. For tests and for code that passes errors on.</summary>
    /// <param name="messageText">As <see cref="MessageText"/>.</param>
    /// <param name="severity">As <see cref="Severity"/>.</param>
    /// <param name="invariantSeverity">As <see cref="InvariantSeverity"/>.</param>
    /// <param name="sqlState">As <see cref="SqlState"/>.</param>
    public PostgresException(string messageText, string severity, string invariantSeverity, string sqlState)
        : this(messageText, severity, invariantSeverity, sqlState, detail: null)
    {
    }

    /// <summary>Makes an error with every field; none is redacted. For tests and for code that passes errors on.</summary>
    /// <param name="messageText">As <see cref="MessageText"/>.</param>
    /// <param name="severity">As <see cref="Severity"/>.</param>
    /// <param name="invariantSeverity">As <see cref="InvariantSeverity"/>.</param>
    /// <param name="sqlState">As <see cref="SqlState"/>.</param>
    /// <param name="detail">As <see cref="Detail"/>.</param>
    /// <param name="hint">As <see cref="Hint"/>.</param>
    /// <param name="position">As <see cref="Position"/>.</param>
    /// <param name="internalPosition">As <see cref="InternalPosition"/>.</param>
    /// <param name="internalQuery">As <see cref="InternalQuery"/>.</param>
    /// <param name="where">As <see cref="Where"/>.</param>
    /// <param name="schemaName">As <see cref="SchemaName"/>.</param>
    /// <param name="tableName">As <see cref="TableName"/>.</param>
    /// <param name="columnName">As <see cref="ColumnName"/>.</param>
    /// <param name="dataTypeName">As <see cref="DataTypeName"/>.</param>
    /// <param name="constraintName">As <see cref="ConstraintName"/>.</param>
    /// <param name="file">As <see cref="File"/>.</param>
    /// <param name="line">As <see cref="Line"/>.</param>
    /// <param name="routine">As <see cref="Routine"/>.</param>
    public PostgresException(
        string messageText, string severity, string invariantSeverity, string sqlState, string? detail = null, string? hint = null,
        int position = 0, int internalPosition = 0, string? internalQuery = null, string? where = null, string? schemaName = null,
        string? tableName = null, string? columnName = null, string? dataTypeName = null, string? constraintName = null,
        string? file = null, string? line = null, string? routine = null)
        : this(new ServerErrorFields
        {
            MessageText = messageText, Severity = severity, InvariantSeverity = invariantSeverity, SqlState = sqlState, Detail = detail,
            Hint = hint, Position = position, InternalPosition = internalPosition, InternalQuery = internalQuery, Where = where,
            SchemaName = schemaName, TableName = tableName, ColumnName = columnName, DataTypeName = dataTypeName,
            ConstraintName = constraintName, File = file, Line = line, Routine = routine,
        }, includeDetail: true)
    {
    }

    internal PostgresException(ServerErrorFields fields, bool includeDetail)
        : this(includeDetail ? fields : fields.WithoutDetail())
    {
    }

    private PostgresException(ServerErrorFields fields, string? message = null, PgErrorCode code = PgErrorCode.ServerError)
        : base(message ?? MessageOf(fields), code)
    {
        Fields = fields;
        foreach (var (name, value) in fields.Present())
            Data.Add(name, value);
    }

    internal ServerErrorFields Fields { get; }

    /// <summary>ERROR, FATAL or PANIC in the language of <c>lc_messages</c>; for programs: <see cref="InvariantSeverity"/>.</summary>
    public string Severity => Fields.Severity ?? "";

    /// <summary>ERROR, FATAL or PANIC, never translated; <see cref="Severity"/> where a pooler or a server before 9.6 sends none.</summary>
    public string InvariantSeverity => Fields.InvariantSeverity ?? Severity;

    /// <summary>The five characters of the SQLSTATE (<see cref="SqlStates"/> or an extension's own); empty if none was sent.</summary>
    public override string SqlState => Fields.SqlState ?? "";

    /// <summary>The server's message without the SQLSTATE that <see cref="Exception.Message"/> puts before it.</summary>
    public string MessageText => Fields.MessageText ?? "";

    /// <summary>
    /// More about the problem, or null. It may quote data (the key of a duplicate row), so it is replaced by a note unless the
    /// connection string says <c>Include Error Detail=true</c>.
    /// </summary>
    public string? Detail => Fields.Detail;

    /// <summary>The server's hint, or null.</summary>
    public string? Hint => Fields.Hint;

    /// <summary>Where in the SQL text, from 1, in Unicode code points, not UTF-16 units; 0 means that the server did not say.</summary>
    public int Position => Fields.Position;

    /// <summary><see cref="Position"/> within <see cref="InternalQuery"/>, a statement that the server made itself; 0 for none.</summary>
    public int InternalPosition => Fields.InternalPosition;

    /// <summary>The statement that failed when it is not the caller's: one that a function ran. Null when there is none.</summary>
    public string? InternalQuery => Fields.InternalQuery;

    /// <summary>The context, such as the call stack of PL/pgSQL functions, one entry a line; or null.</summary>
    public string? Where => Fields.Where;

    /// <summary>The schema of the object that the error is about, or null.</summary>
    public string? SchemaName => Fields.SchemaName;

    /// <summary>The table that the error is about, or null.</summary>
    public string? TableName => Fields.TableName;

    /// <summary>The column that the error is about, or null.</summary>
    public string? ColumnName => Fields.ColumnName;

    /// <summary>The data type that the error is about, or null.</summary>
    public string? DataTypeName => Fields.DataTypeName;

    /// <summary>The constraint (or unique index) that was violated, or null.</summary>
    public string? ConstraintName => Fields.ConstraintName;

    /// <summary>The source file of the server that raised the error, or null.</summary>
    public string? File => Fields.File;

    /// <summary>The line in <see cref="File"/>, or null.</summary>
    public string? Line => Fields.Line;

    /// <summary>The function of the server that raised the error, or null.</summary>
    public string? Routine => Fields.Routine;

    /// <summary>
    /// The zero-based row at which a command failed that ran for many rows (<c>ExecuteMany</c>); null if the server was at no row, as at
    /// the commit, where deferred constraints are checked, and for every other command.
    /// </summary>
    public long? FailedRow { get; internal set; }

    /// <summary>
    /// True when the same statement may succeed if it is tried again: a serialization failure or deadlock, a lock or object in use,
    /// resources exhausted, the server starting or shutting down, a failed connection. For the first two, the whole transaction has to be
    /// tried again.
    /// </summary>
    public override bool IsTransient => SqlState is
        SqlStates.InsufficientResources or SqlStates.DiskFull or SqlStates.OutOfMemory or SqlStates.TooManyConnections
            or SqlStates.ConfigurationLimitExceeded
        or SqlStates.CannotConnectNow or SqlStates.AdminShutdown or SqlStates.CrashShutdown or SqlStates.IdleSessionTimeout
        or SqlStates.SystemError or SqlStates.IoError
        or SqlStates.SerializationFailure or SqlStates.DeadlockDetected
        or SqlStates.LockNotAvailable or SqlStates.ObjectInUse or SqlStates.ObjectNotInPrerequisiteState
        or SqlStates.ConnectionException or SqlStates.ConnectionDoesNotExist or SqlStates.ConnectionFailure
        or SqlStates.SqlClientUnableToEstablishSqlConnection or SqlStates.SqlServerRejectedEstablishmentOfSqlConnection
        or SqlStates.TransactionResolutionUnknown;

    /// <summary>The same error with more behind the first line of its message.</summary>
    internal PostgresException AddNote(string note)
    {
        var message = MessageOf(Fields);
        var end = message.AsSpan().IndexOfAny('\r', '\n') is >= 0 and var line ? line : message.Length;
        return new(Fields, message.Insert(end, note));
    }

    /// <summary>The same error of the server with a text in front of the server's that says what to change.</summary>
    internal PostgresException Explain(string explanation, PgErrorCode code) =>
        new(Fields, $"{explanation} The server said: {MessageOf(Fields)}", code)
        {
            FailedRow = FailedRow, FailedCommand = FailedCommand, Statement = Statement,
        };

    /// <summary>The exception with its stack, followed by the fields that <see cref="Exception.Message"/> does not show.</summary>
    public override string ToString()
    {
        var text = new StringBuilder(base.ToString()).AppendLine().Append("  Exception data:");
        foreach (var (name, value) in Fields.Present())
            text.AppendLine().Append(CultureInfo.InvariantCulture, $"    {name}: {value}");
        return text.ToString();
    }

    // "SQLSTATE: text", then, after a blank line, the position and the detail.
    private static string MessageOf(ServerErrorFields fields)
    {
        var text = new StringBuilder();
        if (!string.IsNullOrEmpty(fields.SqlState))
            text.Append(fields.SqlState).Append(": ");
        text.Append(fields.MessageText);
        if (fields.Position == 0 && string.IsNullOrEmpty(fields.Detail))
            return text.ToString();

        text.AppendLine();
        if (fields.Position != 0)
            text.AppendLine().Append(CultureInfo.InvariantCulture, $"POSITION: {fields.Position}");
        if (!string.IsNullOrEmpty(fields.Detail))
            text.AppendLine().Append("DETAIL: ").Append(fields.Detail);
        return text.ToString();
    }
}
