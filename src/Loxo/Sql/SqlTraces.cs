namespace Loxo.Sql;

/// <summary>
/// What a statement may leave behind, whatever its outcome: an advisory lock outlives the failure of the statement that took it. A
/// statement with none of it is plain.
/// </summary>
[Flags]
internal enum SqlTraces : byte
{
    /// <summary>Plain: the session is as before.</summary>
    None = 0,
    /// <summary>The session has to be reset before somebody else gets it.</summary>
    Session = 1,
    /// <summary>Prepared statements may have come or gone without the driver's doing.</summary>
    Statements = 2,
    /// <summary>Names may mean something else from now on, so that what a prepared statement returns may have changed.</summary>
    Schema = 4,
    /// <summary>What <c>DatabaseAudit</c> found in the database may have changed.</summary>
    Routines = 8,
    /// <summary>
    /// Names may mean something else in every session from the end of the transaction on: tables, functions, types and schemas that others
    /// see.
    /// </summary>
    Definitions = 16,
    /// <summary>All that happens in the session: the statement was not understood.</summary>
    All = Session | Statements | Schema | Routines,
}

/// <summary>What a statement leaves in the session for certain if it succeeds, by which it can be refused.</summary>
internal enum SqlLasting : byte
{
    /// <summary>Nothing, or nothing certain.</summary>
    None,
    /// <summary>A setting: SET without LOCAL, <c>set_config(.., .., false)</c>, an update of pg_settings.</summary>
    Setting,
    Listen,
    /// <summary>A temporary table, view or sequence that does not go with its transaction.</summary>
    TemporaryTable,
    AdvisoryLock,
    PreparedStatement,
    HoldCursor,
    Load,
}

/// <summary>What <see cref="SqlClassifier"/> says about a statement.</summary>
/// <param name="Traces">What the statement may leave behind.</param>
/// <param name="Lasting">What it leaves in the session for certain.</param>
/// <param name="IsPlannable">Whether it is a SELECT, INSERT, UPDATE, DELETE, MERGE, VALUES or TABLE, which the server plans.</param>
/// <param name="Attributes">Names behind a dot that call a function if there is no column of that name; null for none.</param>
internal readonly record struct SqlVerdict(
    SqlTraces Traces, SqlLasting Lasting = SqlLasting.None, bool IsPlannable = false, SqlToken[]? Attributes = null);
