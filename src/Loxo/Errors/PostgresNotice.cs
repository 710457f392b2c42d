namespace Loxo;

/// <summary>A notice or warning that the server sent beside its answers, as RAISE NOTICE does.</summary>
public sealed class PostgresNotice
{
    private readonly ServerErrorFields _fields;

    /// <summary>Makes a notice without optional fields. For tests.</summary>
    /// <inheritdoc cref="PostgresException(string, string, string, string)"/>
    public PostgresNotice(string severity, string invariantSeverity, string sqlState, string messageText)
        : this(messageText, severity, invariantSeverity, sqlState, detail: null)
    {
    }

    /// <summary>Makes a notice with every field; none is redacted. For tests.</summary>
    /// <inheritdoc cref="PostgresException(string, string, string, string, string?, string?, int, int, string?, string?, string?, string?,
    /// string?, string?, string?, string?, string?, string?)"/>
    public PostgresNotice(
        string messageText, string severity, string invariantSeverity, string sqlState, string? detail = null, string? hint = null,
        int position = 0, int internalPosition = 0, string? internalQuery = null, string? where = null, string? schemaName = null,
        string? tableName = null, string? columnName = null, string? dataTypeName = null, string? constraintName = null,
        string? file = null, string? line = null, string? routine = null)
        : this(new PostgresException(
            messageText, severity, invariantSeverity, sqlState, detail, hint, position, internalPosition, internalQuery, where, schemaName,
            tableName, columnName, dataTypeName, constraintName, file, line, routine).Fields, includeDetail: true)
    {
    }

    internal PostgresNotice(ServerErrorFields fields, bool includeDetail) => _fields = includeDetail ? fields : fields.WithoutDetail();

    /// <summary>
    /// WARNING, NOTICE, DEBUG, INFO or LOG, in the language of the server (<c>lc_messages</c>). See <see cref="InvariantSeverity"/> for
    /// programs.
    /// </summary>
    public string Severity { get => _fields.Severity ?? ""; set => _fields.Severity = value; }

    /// <summary>
    /// WARNING, NOTICE, DEBUG, INFO or LOG, never translated; <see cref="Severity"/> where a pooler or a server before 9.6 sends none.
    /// </summary>
    public string InvariantSeverity => _fields.InvariantSeverity ?? Severity;

    /// <inheritdoc cref="PostgresException.SqlState"/>
    public string SqlState { get => _fields.SqlState ?? ""; set => _fields.SqlState = value; }

    /// <summary>The server's message.</summary>
    public string MessageText { get => _fields.MessageText ?? ""; set => _fields.MessageText = value; }

    /// <inheritdoc cref="PostgresException.Detail"/>
    public string? Detail { get => _fields.Detail; set => _fields.Detail = value; }

    /// <summary>The server's hint, or null.</summary>
    public string? Hint { get => _fields.Hint; set => _fields.Hint = value; }

    /// <inheritdoc cref="PostgresException.Position"/>
    public int Position { get => _fields.Position; set => _fields.Position = value; }

    /// <inheritdoc cref="PostgresException.InternalPosition"/>
    public int InternalPosition { get => _fields.InternalPosition; set => _fields.InternalPosition = value; }

    /// <summary>The statement that it is about, when it is not the caller's: one that a function ran. Null when there is none.</summary>
    public string? InternalQuery { get => _fields.InternalQuery; set => _fields.InternalQuery = value; }

    /// <summary>The context, such as the call stack of PL/pgSQL functions, one entry a line; or null.</summary>
    public string? Where { get => _fields.Where; set => _fields.Where = value; }

    /// <summary>The schema of the object that the notice is about, or null.</summary>
    public string? SchemaName { get => _fields.SchemaName; set => _fields.SchemaName = value; }

    /// <summary>The table that the notice is about, or null.</summary>
    public string? TableName { get => _fields.TableName; set => _fields.TableName = value; }

    /// <summary>The column that the notice is about, or null.</summary>
    public string? ColumnName { get => _fields.ColumnName; set => _fields.ColumnName = value; }

    /// <summary>The data type that the notice is about, or null.</summary>
    public string? DataTypeName { get => _fields.DataTypeName; set => _fields.DataTypeName = value; }

    /// <summary>The constraint (or unique index) that the notice is about, or null.</summary>
    public string? ConstraintName { get => _fields.ConstraintName; set => _fields.ConstraintName = value; }

    /// <summary>The source file of the server that raised the notice, or null.</summary>
    public string? File { get => _fields.File; set => _fields.File = value; }

    /// <summary>The line in <see cref="File"/>, or null.</summary>
    public string? Line { get => _fields.Line; set => _fields.Line = value; }

    /// <summary>The function of the server that raised the notice, or null.</summary>
    public string? Routine { get => _fields.Routine; set => _fields.Routine = value; }

    /// <summary>The severity, SQLSTATE and message on one line.</summary>
    public override string ToString() => $"{Severity}: {SqlState}: {MessageText}";
}
