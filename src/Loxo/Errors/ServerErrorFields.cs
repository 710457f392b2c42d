namespace Loxo;

/// <summary>The fields of an ErrorResponse or NoticeResponse; null for a field that the server did not send.</summary>
internal sealed class ServerErrorFields
{
    private const string Redacted =
        "Not shown, because it may quote data. Put 'Include Error Detail=true' into the connection string to see it.";

    public string? Severity { get; set; }
    public string? InvariantSeverity { get; set; }
    public string? SqlState { get; set; }
    public string? MessageText { get; set; }
    public string? Detail { get; set; }
    public string? Hint { get; set; }
    public int Position { get; set; }
    public int InternalPosition { get; set; }
    public string? InternalQuery { get; set; }
    public string? Where { get; set; }
    public string? SchemaName { get; set; }
    public string? TableName { get; set; }
    public string? ColumnName { get; set; }
    public string? DataTypeName { get; set; }
    public string? ConstraintName { get; set; }
    public string? File { get; set; }
    public string? Line { get; set; }
    public string? Routine { get; set; }

    /// <summary>Zero-based index of the caller's statement that failed; the server does not send it.</summary>
    internal int Statement;

    /// <summary>The same fields; a DETAIL, which may quote rows of the database, is replaced by a text that says how to see it.</summary>
    public ServerErrorFields WithoutDetail()
    {
        var copy = (ServerErrorFields)MemberwiseClone();
        copy.Detail = Detail is null ? null : Redacted;
        return copy;
    }

    /// <summary>Name and value of each field that the server sent, in the order of <see cref="PostgresException"/>'s properties.</summary>
    public IEnumerable<(string Name, object Value)> Present()
    {
        (string Name, object? Value)[] all =
        [
            (nameof(Severity), Severity),
            (nameof(InvariantSeverity), InvariantSeverity),
            (nameof(SqlState), SqlState),
            (nameof(MessageText), MessageText),
            (nameof(Detail), Detail),
            (nameof(Hint), Hint),
            (nameof(Position), Position == 0 ? null : Position),
            (nameof(InternalPosition), InternalPosition == 0 ? null : InternalPosition),
            (nameof(InternalQuery), InternalQuery),
            (nameof(Where), Where),
            (nameof(SchemaName), SchemaName),
            (nameof(TableName), TableName),
            (nameof(ColumnName), ColumnName),
            (nameof(DataTypeName), DataTypeName),
            (nameof(ConstraintName), ConstraintName),
            (nameof(File), File),
            (nameof(Line), Line),
            (nameof(Routine), Routine),
        ];
        return all.Where(static field => field.Value is not null)!;
    }
}
