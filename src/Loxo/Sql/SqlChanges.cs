namespace Loxo.Sql;

/// <summary>The changes that a statement may make, whatever its outcome: an advisory lock outlives the failure of its statement.</summary>
[Flags]
internal enum SqlChanges : byte
{
    /// <summary>Plain: the session is as before.</summary>
    None = 0,
    /// <summary>The state of the session: it has to be reset before its next user.</summary>
    State = 1,
    /// <summary>The session's prepared statements, without the driver's knowledge.</summary>
    Statements = 2,
    /// <summary>The meaning of names, and with it the result of prepared statements.</summary>
    Names = 4,
    /// <summary>Functions, triggers and other code: the result of <c>DatabaseAudit</c>.</summary>
    Routines = 8,
    /// <summary>Tables, functions, types or schemas that other sessions see, once the transaction has ended.</summary>
    Definitions = 16,
    /// <summary>Anything that happens in the session: the statement was not understood.</summary>
    All = State | Statements | Names | Routines | Definitions,
}

/// <summary>A change to the session that a statement makes for certain if it succeeds: the reason to refuse it behind a pooler.</summary>
internal enum SqlCertainChange : byte
{
    None,
    /// <summary>A setting: SET without LOCAL, <c>set_config(.., .., false)</c>, an update of pg_settings.</summary>
    Setting,
    Listen,
    /// <summary>A temporary table, view or sequence that is not dropped with its transaction, or a function or type in pg_temp.</summary>
    TemporaryTable,
    AdvisoryLock,
    PreparedStatement,
    HoldCursor,
    Load,
}

/// <summary>The result of <see cref="SqlClassifier"/> for one statement.</summary>
/// <param name="Changes">The changes that the statement may make.</param>
/// <param name="CertainChange">The change to the session that it makes for certain.</param>
/// <param name="IsPlannable">Whether it is a SELECT, INSERT, UPDATE, DELETE, MERGE, VALUES or TABLE, which the server plans.</param>
/// <param name="Attributes">Names behind a dot that call a function if there is no column of that name; null for none.</param>
/// <param name="Calls">
/// Names of called functions that are not known to be harmless, an empty token for a call whose name is not certain; null for none.
/// </param>
/// <param name="Databases">Of a statement about databases, the words that may be their names; null for another statement.</param>
internal readonly record struct SqlVerdict(
    SqlChanges Changes, SqlCertainChange CertainChange = SqlCertainChange.None, bool IsPlannable = false, SqlToken[]? Attributes = null,
    SqlToken[]? Calls = null, SqlToken[]? Databases = null);
