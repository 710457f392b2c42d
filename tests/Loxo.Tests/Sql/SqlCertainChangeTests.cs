using Loxo.Sql;

namespace Loxo.Tests.Sql;

/// <summary>What a statement leaves for certain, and which statements are worth preparing.</summary>
internal sealed class SqlCertainChangeTests
{
    [TestCase("SET a.b = 1", SqlCertainChange.Setting)]
    [TestCase("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", SqlCertainChange.Setting)]
    [TestCase("SET local.a = 1", SqlCertainChange.Setting)]
    [TestCase("SELECT set_config('a.b', @v, false)", SqlCertainChange.Setting)]
    [TestCase("UPDATE pg_settings SET setting = 1", SqlCertainChange.Setting)]
    [TestCase("LISTEN c", SqlCertainChange.Listen)]
    [TestCase("CREATE TEMP TABLE t ()", SqlCertainChange.TemporaryTable)]
    [TestCase("CREATE LOCAL TEMPORARY TABLE t AS SELECT 1", SqlCertainChange.TemporaryTable)]
    [TestCase("CREATE TEMP TABLE t () ON COMMIT DELETE ROWS", SqlCertainChange.TemporaryTable)]
    [TestCase("CREATE OR REPLACE TEMP VIEW v AS SELECT 1", SqlCertainChange.TemporaryTable)]
    [TestCase("SELECT 1 INTO TEMP t", SqlCertainChange.TemporaryTable)]
    [TestCase("SELECT 1 INTO LOCAL TEMPORARY TABLE t", SqlCertainChange.TemporaryTable)]
    [TestCase("SELECT pg_advisory_lock(@id)", SqlCertainChange.AdvisoryLock)]
    [TestCase("SELECT 1 WHERE pg_catalog.PG_TRY_ADVISORY_LOCK_SHARED(1, 2)", SqlCertainChange.AdvisoryLock)]
    [TestCase("EXPLAIN ANALYZE SELECT pg_advisory_lock(1)", SqlCertainChange.AdvisoryLock)]
    [TestCase("EXPLAIN (VERBOSE, ANALYZE) SELECT pg_advisory_lock(1)", SqlCertainChange.AdvisoryLock)]
    [TestCase("PREPARE p AS SELECT pg_advisory_lock(1)", SqlCertainChange.PreparedStatement)]
    [TestCase("DECLARE c CURSOR WITH HOLD FOR SELECT 1", SqlCertainChange.HoldCursor)]
    [TestCase("LOAD 'x'", SqlCertainChange.Load)]
    public void What_lasts_has_a_name(string sql, SqlCertainChange certainChange) => Assert.That(Of(sql).CertainChange, Is.EqualTo(certainChange));

    [TestCase("SELECT 1")]
    [TestCase("SET LOCAL a.b = 1")]
    [TestCase("SET TRANSACTION READ ONLY")]
    [TestCase("RESET ALL")]
    [TestCase("UNLISTEN c")]
    [TestCase("CREATE TEMP TABLE t () ON COMMIT DROP")]
    [TestCase("CREATE TEMP TABLE t ON COMMIT DROP AS SELECT 1")]
    [TestCase("CREATE TABLE t ()")]
    [TestCase("CREATE TABLE temp ()")]
    [TestCase("SELECT 1 INTO temp_t")]
    [TestCase("SELECT set_config('a.b', @v, @local)")]
    [TestCase("SELECT set_config('a.b', @v, true)")]
    [TestCase("SELECT pg_advisory_xact_lock(1), pg_advisory_unlock(1), f()")]
    [TestCase("EXPLAIN SELECT pg_advisory_lock(1)")]
    [TestCase("EXPLAIN (ANALYZE false) SELECT pg_advisory_lock(1)")]
    [TestCase("PREPARE TRANSACTION 'p'")]
    [TestCase("DEALLOCATE p")]
    [TestCase("DECLARE c CURSOR FOR SELECT 1")]
    [TestCase("DO ''")]
    [TestCase("CALL p()")]
    public void What_does_not_last_for_certain_has_none(string sql) => Assert.That(Of(sql).CertainChange, Is.EqualTo(SqlCertainChange.None));

    [TestCase("SELECT 1")]
    [TestCase("/* hint */ (((SELECT f(1))) UNION SELECT 2)")]
    [TestCase("WITH a AS (SELECT 1), b AS (DELETE FROM t) INSERT INTO t SELECT * FROM a")]
    [TestCase("WITH a AS (SELECT 1) (SELECT * FROM a)")]
    [TestCase("INSERT INTO t VALUES (@a)")]
    [TestCase("UPDATE t SET a = 1")]
    [TestCase("DELETE FROM t")]
    [TestCase("MERGE INTO t USING u ON true WHEN MATCHED THEN DELETE")]
    [TestCase("VALUES (1)")]
    [TestCase("TABLE t")]
    public void What_the_server_plans_is_plannable(string sql) => Assert.That(Of(sql).IsPlannable, Is.True);

    [TestCase("")]
    [TestCase("BEGIN")]
    [TestCase("SET a = 1")]
    [TestCase("SHOW a")]
    [TestCase("EXPLAIN SELECT 1")]
    [TestCase("DECLARE c CURSOR FOR SELECT 1")]
    [TestCase("COPY (SELECT 1) TO STDOUT")]
    [TestCase("PREPARE p AS SELECT 1")]
    [TestCase("CREATE TABLE t AS SELECT 1")]
    [TestCase("SELECT 1 INTO t")]
    [TestCase("WITH a AS (SELECT 1) SELECT * INTO t FROM a")]
    [TestCase("CALL p()")]
    [TestCase("WITH a AS (SELECT 1)")]
    public void What_it_does_not_plan_is_not(string sql) => Assert.That(Of(sql).IsPlannable, Is.False);

    private static SqlStatement Of(string sql) => SqlClassifierTests.Of(sql);
}
