using System.IO.Enumeration;

namespace Loxo.Tools.SqlFunctions;

/// <summary>
/// Which built-in functions may be called by a statement that counts as plain, because they leave nothing behind in the session that calls
/// them. What they leave in the database, in files or in other sessions does not matter here. A function is known by its name, with all
/// its overloads.
/// </summary>
/// <remarks>
/// Immutable and stable functions are plain, except those listed as not plain: the server itself promises that they change nothing. Volatile
/// functions are not, except those listed with a reason. So a new server version brings no plain function with an effect unless somebody
/// puts it here.
/// </remarks>
internal static class FunctionReview
{
    /// <summary>Not plain though stable or immutable; <c>*</c> stands for anything.</summary>
    private static readonly (string Pattern, string Reason)[] NotPlain =
    [
        ("*_to_xml*", "query_to_xml runs the query in its text, cursor_to_xml whatever the cursor runs; the others read whole tables, schemas and databases, that is, any view there"),
        ("*_validator", "for CREATE FUNCTION; parses and partly runs what it is pointed at"),
        ("pg_replication_origin_*", "their kind sets up state of the session"),
        ("pg_event_trigger_*", "of use only in event triggers"),
        ("binary_upgrade_*", "for pg_upgrade, set variables of the backend"),
    ];

    /// <summary>Plain though volatile.</summary>
    private static readonly (string[] Names, string Reason)[] VolatileButPlain =
    [
        (["random", "random_normal", "array_sample", "array_shuffle", "gen_random_uuid", "uuidv4", "uuidv7"],
            "chance: nobody relies on what comes next, unless they called setseed, which is not plain"),
        (["clock_timestamp", "timeofday"], "the clock"),
        (["pg_sleep", "pg_sleep_for", "pg_sleep_until"], "wait"),
        (["pg_notify"], "for others, and gone with the transaction"),
        (["pg_advisory_xact_lock", "pg_advisory_xact_lock_shared", "pg_try_advisory_xact_lock", "pg_try_advisory_xact_lock_shared"], "end with the transaction"),
        (["pg_is_in_recovery", "pg_current_wal_lsn", "pg_current_wal_insert_lsn", "pg_current_wal_flush_lsn", "pg_last_wal_receive_lsn", "pg_last_wal_replay_lsn",
            "pg_last_xact_replay_timestamp", "pg_xact_commit_timestamp", "pg_xact_status", "txid_status", "pg_lock_status", "pg_blocking_pids",
            "pg_notification_queue_usage", "current_query"], "tell what the server is doing"),
        (["pg_relation_size", "pg_total_relation_size", "pg_table_size", "pg_indexes_size", "pg_database_size", "pg_tablespace_size", "pg_partition_tree",
            "pg_partition_ancestors"], "tell what the database holds"),
    ];

    /// <summary>Whether calls of the function leave a statement plain.</summary>
    /// <param name="name">The function's name in pg_catalog.</param>
    /// <param name="isVolatile">Whether one of its overloads is.</param>
    public static bool IsPlain(string name, bool isVolatile) =>
        !NotPlain.Any(entry => FileSystemName.MatchesSimpleExpression(entry.Pattern, name, ignoreCase: false))
        && (!isVolatile || VolatileButPlain.Any(entry => entry.Names.Contains(name)));
}
