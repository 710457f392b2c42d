namespace Loxo.Pool;

/// <summary>What is known about a database.</summary>
internal enum DatabaseAuditState
{
    /// <summary>It was not asked, has not answered, or the answer is too old.</summary>
    Unknown,
    /// <summary>It hides nothing: a plain statement leaves nothing.</summary>
    Clean,
    /// <summary>It hides something: any statement may leave something.</summary>
    Offending,
}

/// <summary>What <see cref="DatabaseAudit"/> came to.</summary>
/// <param name="State">What is known.</param>
/// <param name="Name">What was found first, with its schema, such as <c>function app.f(integer)</c>; null unless offending.</param>
/// <param name="Reason">Why it counts, to go on behind the name: <c>contains EXECUTE</c>; null unless offending.</param>
internal sealed record DatabaseAuditVerdict(DatabaseAuditState State, string? Name, string? Reason)
{
    /// <summary>Nothing is known.</summary>
    public static DatabaseAuditVerdict Unknown { get; } = new(DatabaseAuditState.Unknown, null, null);

    /// <summary>Nothing was found.</summary>
    public static DatabaseAuditVerdict Clean { get; } = new(DatabaseAuditState.Clean, null, null);

    /// <summary>Whether a plain statement is certain to leave nothing.</summary>
    public bool IsClean => State == DatabaseAuditState.Clean;

    /// <summary>The verdict of the row that <see cref="DatabaseAudit.Query"/> returned.</summary>
    public static DatabaseAuditVerdict Offending(string name, string reason) => new(DatabaseAuditState.Offending, name, reason);
}
