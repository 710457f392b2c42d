namespace Loxo.LibraryTests;

/// <summary>The tables in which Quartz keeps jobs and triggers.</summary>
internal static class QuartzTables
{
    public const string Sql = """
        CREATE TABLE qrtz_job_details (
            sched_name text, job_name text, job_group text, description text, job_class_name text NOT NULL, is_durable bool NOT NULL,
            is_nonconcurrent bool NOT NULL, is_update_data bool NOT NULL, requests_recovery bool NOT NULL, job_data bytea,
            PRIMARY KEY (sched_name, job_name, job_group));
        CREATE TABLE qrtz_triggers (
            sched_name text, trigger_name text, trigger_group text, job_name text NOT NULL, job_group text NOT NULL, description text,
            next_fire_time bigint, prev_fire_time bigint, priority int, trigger_state text NOT NULL, trigger_type text NOT NULL,
            start_time bigint NOT NULL, end_time bigint, calendar_name text, misfire_instr smallint, misfire_orig_fire_time bigint,
            execution_group text, job_data bytea,
            PRIMARY KEY (sched_name, trigger_name, trigger_group));
        CREATE TABLE qrtz_simple_triggers (
            sched_name text, trigger_name text, trigger_group text, repeat_count bigint NOT NULL, repeat_interval bigint NOT NULL,
            times_triggered bigint NOT NULL, PRIMARY KEY (sched_name, trigger_name, trigger_group));
        CREATE TABLE qrtz_simprop_triggers (
            sched_name text, trigger_name text, trigger_group text, str_prop_1 text, str_prop_2 text, str_prop_3 text, int_prop_1 int,
            int_prop_2 int, long_prop_1 bigint, long_prop_2 bigint, dec_prop_1 numeric, dec_prop_2 numeric, bool_prop_1 bool,
            bool_prop_2 bool, time_zone_id text, PRIMARY KEY (sched_name, trigger_name, trigger_group));
        CREATE TABLE qrtz_cron_triggers (
            sched_name text, trigger_name text, trigger_group text, cron_expression text NOT NULL, time_zone_id text,
            PRIMARY KEY (sched_name, trigger_name, trigger_group));
        CREATE TABLE qrtz_blob_triggers (
            sched_name text, trigger_name text, trigger_group text, blob_data bytea, PRIMARY KEY (sched_name, trigger_name, trigger_group));
        CREATE TABLE qrtz_calendars (sched_name text, calendar_name text, calendar bytea NOT NULL, PRIMARY KEY (sched_name, calendar_name));
        CREATE TABLE qrtz_paused_trigger_grps (sched_name text, trigger_group text, PRIMARY KEY (sched_name, trigger_group));
        CREATE TABLE qrtz_fired_triggers (
            sched_name text, entry_id text, trigger_name text NOT NULL, trigger_group text NOT NULL, instance_name text NOT NULL,
            fired_time bigint NOT NULL, sched_time bigint NOT NULL, priority int NOT NULL, state text NOT NULL, job_name text, job_group text,
            is_nonconcurrent bool NOT NULL, requests_recovery bool, execution_group text, PRIMARY KEY (sched_name, entry_id));
        CREATE TABLE qrtz_scheduler_state (
            sched_name text, instance_name text, last_checkin_time bigint NOT NULL, checkin_interval bigint NOT NULL,
            PRIMARY KEY (sched_name, instance_name));
        CREATE TABLE qrtz_locks (sched_name text, lock_name text, PRIMARY KEY (sched_name, lock_name));
        """;
}
