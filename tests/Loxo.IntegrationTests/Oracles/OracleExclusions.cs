using System.Text.RegularExpressions;

namespace Loxo.IntegrationTests.Oracles;

/// <summary>The functions that are not run, and the reasons.</summary>
internal static class OracleExclusions
{
    /// <summary>
    /// The state that no query shows, so that the oracle cannot find a text that leaves it behind. docs/session-reset.md has the same list.
    /// </summary>
    public static readonly string[] InvisibleState =
    [
        "the random seed (setseed)",
        "lastval() and currval(): reading them raises an error in a session without a value",
        "how often an advisory lock is held",
        "custom settings whose names are not known",
        "libraries that were loaded, and their variables: isn_weak of PostgreSQL 17 and older (the oracle asks for it), connections of postgres_fdw, variables of PL/Perl",
        "a backup that pg_backup_start has begun",
    ];

    private static readonly (string Pattern, string Reason)[] Reasons =
    [
        ("pg_terminate_backend|pg_cancel_backend", "ends a session or its statement"),
        ("pg_promote|pg_wal_replay_.*|pg_switch_wal|pg_create_restore_point|pg_log_standby_snapshot|pg_sync_replication_slots", "works on the whole server or its write-ahead log, not on the session"),
        ("pg_reload_conf|pg_rotate_logfile.*|pg_import_system_collations", "works on the whole server, not on the session, and takes long"),
        ("pg_sleep.*", "only waits"),
        ("pg_backup_start|pg_backup_stop|pg_start_backup|pg_stop_backup", "begins or ends a backup, state that no query shows; takes a checkpoint"),
        ("lo_export|pg_file_.*", "writes files of the server"),
        ("autoprewarm_.*", "starts a background worker"),
        ("heap_force_.*", "damages tables"),
        ("pg_stop_making_pinned_objects", "changes the whole cluster for good"),
        ("pg_get_shmem_allocations_numa|pg_buffercache_.*|pg_get_backend_memory_contexts", "only reads shared memory, and takes long"),
        ("(database|schema)_to_xml.*", "only reads all tables by way of query_to_xml, and takes long"),
        ("pg_(restore|clear)_(attribute|relation)_stats", "only writes the planner's statistics of a table"),
    ];

    /// <summary>Why a function is not run; null if it is.</summary>
    public static string? Reason(string name) => Array.Find(Reasons, row => Regex.IsMatch(name, $"^({row.Pattern})$")).Reason;
}
