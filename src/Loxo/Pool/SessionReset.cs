namespace Loxo;

/// <summary>When a connection that goes back to the pool has what its user left behind in the session undone.</summary>
/// <remarks>docs/session-reset.md says what each value proves and what no reset undoes.</remarks>
public enum SessionReset
{
    /// <summary>When something may have been left behind, as far as the statements and the database's code tell. The default.</summary>
    Auto,

    /// <summary>Always.</summary>
    Always,

    /// <summary>Never, but for an open transaction, which is rolled back. The same as <c>No Reset On Close=true</c>.</summary>
    Never,

    /// <summary>
    /// Always, but first the session is compared with its state when it was handed out: <see cref="PgDataSource.SessionLeaked"/> and a
    /// warning in the log tell of one that <see cref="Auto"/> would have left as it is although it was changed. For tests and staging.
    /// </summary>
    Verify,
}
