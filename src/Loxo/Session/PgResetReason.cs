namespace Loxo;

/// <summary>Why a session was reset when its connection went back to the pool: see docs/session-reset.md.</summary>
public enum PgResetReason
{
    /// <summary>'Session Reset' is Always or Verify.</summary>
    Configured,

    /// <summary>A statement may have changed the session, such as SET, LISTEN or CREATE TEMP TABLE, or was not understood.</summary>
    ChangedByStatement,

    /// <summary>A query called a function that may change the session, or that the driver does not know.</summary>
    UnknownFunction,

    /// <summary>The server reported that a setting had changed.</summary>
    SettingChanged,

    /// <summary>
    /// The database's code is not known to leave sessions unchanged: the audit has not answered since the connection was opened, or it has
    /// found code that may change sessions. The log (event 2005) names that code.
    /// </summary>
    DatabaseNotAudited,

    /// <summary>A transaction was open. It is rolled back; if nothing else is to be reset, only that is sent.</summary>
    OpenTransaction,
}
