using System.Collections.Frozen;
using Loxo.Sql;

namespace Loxo.Tests.Sql;

/// <summary>However a function is reached, a statement that reaches one that may leave something is not plain.</summary>
internal sealed class SqlNotationTests
{
    [Test]
    public void A_call_is_seen_in_every_notation_and_in_every_place([ValueSource(typeof(FunctionNotations), nameof(FunctionNotations.AllPlaces))] string place) =>
        Assert.That(FunctionNotations.Calls.Select(call => Fill(place, call)).Where(IsPlain), Is.Empty);

    [Test]
    public void A_column_is_no_call_in_any_place([ValueSource(typeof(FunctionNotations), nameof(FunctionNotations.AllPlaces))] string place) =>
        Assert.That(FunctionNotations.ColumnReferences.Select(column => Fill(place, column)).Where(text => !IsPlain(text)), Is.Empty);

    [TestCase("SELECT $1.pg_advisory_lock")]
    [TestCase("SELECT @id.pg_advisory_lock")]
    [TestCase("SELECT :id.pg_advisory_lock")]
    [TestCase("SELECT @id . \"pg_advisory_lock\"")]
    [TestCase("SELECT a[:x.pg_advisory_lock]")]
    [TestCase("SELECT 'x'.setseed")]
    [TestCase("SELECT ('select 1'::text).ts_stat")]
    [TestCase("SELECT (x.y).z.pg_advisory_lock.w")]
    [TestCase("SELECT (x.nextval).y")]
    [TestCase("SELECT s.t.nextval FROM s.t")]
    [TestCase("SELECT x.nextval")]
    [TestCase("SELECT x.lo_creat, y.name FROM x, y")]
    [TestCase("TABLE t ORDER BY t.setseed")]
    [TestCase("SELECT x.PG_ADV\u0130SORY_LOCK", TestName = "A_letter_that_some_servers_fold_to_ASCII_in_attribute_notation")]
    [TestCase("UPDATE t SET a = t.setseed")]
    [TestCase("INSERT INTO t SELECT (u).setseed FROM u")]
    [TestCase("COPY t FROM '/dev/null' WHERE t.setseed IS NULL")]
    [TestCase("COPY t FROM '/dev/null' WHERE U&\"setseed\" UESCAPE '!' (1) IS NULL")]
    [TestCase("SELECT x.setseed AS nextval, f.y")]
    [TestCase("SELECT current_user.setseed")]
    [TestCase("SELECT x.setseed;SELECT 1")]
    public void Attribute_notation_is_a_call(string sql) => Assert.That(SqlText.Lex(sql, true).Statements[0].Changes & SqlChanges.State, Is.EqualTo(SqlChanges.State));

    [TestCase("SELECT U&\"a\" FROM t")]
    [TestCase("SELECT U&'!0061' UESCAPE '!'")]
    [TestCase("SELECT x.U&\"a\" FROM x")]
    [TestCase("SELECT 1 AS U&\"a\"")]
    [TestCase("SELECT 'a' (1)")]
    [TestCase("SELECT E'a'(1)")]
    [TestCase("SELECT $$a$$ (1)")]
    [TestCase("SELECT 1 (1)")]
    [TestCase("SELECT $1 (1)")]
    [TestCase("SELECT a[1] (1)")]
    [TestCase("SELECT a.(1)")]
    [TestCase("SELECT a.'b'")]
    [TestCase("SELECT a . 1")]
    [TestCase("SELECT a..b")]
    [TestCase("SELECT a. .b")]
    [TestCase("SELECT a.")]
    [TestCase("SELECT a.$1")]
    [TestCase("SELECT a.@b")]
    [TestCase("SELECT a.[1]")]
    [TestCase("COPY (SELECT 'a' (1)) TO '/dev/null'")]
    public void A_shape_that_is_not_on_the_list_is_not_plain(string sql) => Assert.That(IsPlain(sql), Is.False);

    [TestCase("COPY t FROM '/dev/null' (FORMAT csv)")]
    [TestCase("COPY t TO '/dev/null' (FORMAT csv, DELIMITER ';', QUOTE '\"')")]
    [TestCase("COPY (SELECT p.name FROM p) TO PROGRAM 'cat' (FORMAT csv)")]
    [TestCase("SELECT DISTINCT ON (p.a) (p.b) FROM p")]
    [TestCase("SELECT a[1:(2)], a[(1):], a [1] FROM t")]
    [TestCase("SELECT .5, 1., 1.5e3, p.a FROM p WHERE p.b=.5 AND p.c>1.")]
    [TestCase("SELECT t.*=u.*, count(t.*), (t.*)::text FROM t, u")]
    [TestCase("SELECT p.a IN (1), p.b = ANY (ARRAY[1]), p.c BETWEEN (1) AND (2), p.d AND (p.e) FROM p")]
    [TestCase("INSERT INTO s.t (a) SELECT u.b FROM s.u ON CONFLICT (a) DO UPDATE SET a = excluded.a, b.c = t.d RETURNING t.e")]
    [TestCase("SELECT * FROM s.t AS x (a, b), pg_catalog.generate_series(1, 2) y TABLESAMPLE system (1)")]
    [TestCase("SELECT date '2000-01-01', pg_catalog.date '2000-01-01', \"date\" '2000-01-01', numeric(3, 1) '1.5', interval '1' day, interval(3) '1'")]
    public void What_has_a_use_in_the_grammar_is_plain(string sql) => Assert.That(IsPlain(sql), Is.True);

    [TestCase("SELECT g.pg_advisory_lock FROM g", nameof(SqlCertainChange.AdvisoryLock))]
    [TestCase("SELECT (1).pg_try_advisory_lock_shared", nameof(SqlCertainChange.AdvisoryLock))]
    [TestCase("EXPLAIN SELECT (1).pg_try_advisory_lock", nameof(SqlCertainChange.None))]
    [TestCase("EXPLAIN ANALYZE SELECT (1).pg_try_advisory_lock", nameof(SqlCertainChange.AdvisoryLock))]
    public void A_lock_by_attribute_notation_lasts(string sql, string certainChange) =>
        Assert.That(SqlClassifierTests.Of(sql).CertainChange.ToString(), Is.EqualTo(certainChange));

    [TestCase("SELECT (0.7::real).set_limit", true)]
    [TestCase("SELECT x.SET_LIMIT FROM x", true)]
    [TestCase("SELECT x.\"set_limit\" FROM x", true)]
    [TestCase("SELECT (x.y).set_limit.z FROM x", true)]
    [TestCase("EXPLAIN ANALYZE SELECT x . /* */ set_limit", true)]
    [TestCase("COPY (SELECT x.set_limit FROM x) TO STDOUT", true)]
    [TestCase("DECLARE c CURSOR FOR SELECT x.set_limit FROM x", true)]
    [TestCase("WITH w AS (UPDATE t SET a = t.set_limit RETURNING 1) SELECT 1", true)]
    [TestCase("SELECT x.a_name_that_is_cut_by_the_server_since_it_has_too_many_letters_for_it_and_more", true)]
    [TestCase("SELECT x.\"a_name_that_is_cut_by_the_server_since_it_has_too_many_letters_for_it_and_more\"", true)]
    [TestCase("SELECT x.\"Set_limit\" FROM x", false)]
    [TestCase("SELECT set_limit, x.set_limits, x.limit, x.name FROM x AS set_limit", false)]
    [TestCase("SELECT 'x.set_limit' /* x.set_limit */", false)]
    public void Names_of_the_databases_functions_count(string sql, bool counts)
    {
        var names = new[] { "set_limit", "dblink_connect", "a_name_that_is_cut_by_the_server_since_it_has_too_many_letters_" }.ToFrozenSet(StringComparer.Ordinal);
        var statement = SqlClassifierTests.Of(sql);

        Assert.That(statement.Changes, Is.EqualTo(SqlChanges.None));
        Assert.That(statement.ChangesWith(null), Is.EqualTo(SqlChanges.None));
        Assert.That(statement.ChangesWith(names), Is.EqualTo(counts ? SqlChanges.State : SqlChanges.None));
        Assert.That(statement.ChangesWith(names), Is.EqualTo(counts ? SqlChanges.State : SqlChanges.None), "remembered");
        Assert.That(statement.ChangesWith(FrozenSet<string>.Empty), Is.EqualTo(SqlChanges.None), "not for other names");
    }

    [Test]
    public void Names_count_in_a_positional_text()
    {
        var statement = SqlText.Lex(" SELECT ($1::real).set_limit;", standardConformingStrings: true, splitAndReplace: false).Statements[0];

        Assert.That(statement.ChangesWith(new[] { "set_limit" }.ToFrozenSet(StringComparer.Ordinal)), Is.EqualTo(SqlChanges.State));
    }

    private static bool IsPlain(string text) => SqlText.Lex(text, true).Statements.ToArray().All(statement => statement.Changes == SqlChanges.None);

    private static string Fill(string place, string expression) => place.Replace("{0}", expression, StringComparison.Ordinal);
}
