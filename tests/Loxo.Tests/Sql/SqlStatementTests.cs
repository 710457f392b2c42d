using System.Reflection;
using Loxo.Sql;

namespace Loxo.Tests.Sql;

public class SqlStatementTests
{
    private const string Text = "SELECT @a, :b, @A, tags<@ids, @c";

    private readonly SqlStatement _statement = SqlText.Lex(Text, standardConformingStrings: true).Statements[0];

    [Test]
    public void All_names_replaced() => Assert.That(_statement.Sql, Is.EqualTo("SELECT $1, $2, $1, tags<$3, $4"));

    [Test]
    public void Names_without_parameter_stay_and_the_others_close_ranks()
    {
        Assert.That(_statement.ParameterNames.ToArray(), Is.EqualTo(new[] { "a", "b", "ids", "c" }));
        Assert.That(_statement.SqlFor([true, true, false, true]), Is.EqualTo("SELECT $1, $2, $1, tags<@ids, $3"));
        Assert.That(_statement.SqlFor([false, true, false, false]), Is.EqualTo("SELECT @a, $1, @A, tags<@ids, @c"));
    }

    [Test]
    public void All_or_none_are_no_variant()
    {
        Assert.That(_statement.SqlFor([true, true, true, true]), Is.SameAs(_statement.Sql));
        Assert.That(_statement.SqlFor([false, false, false, false]), Is.SameAs(Text));
    }

    [Test]
    public void A_statement_without_names_has_one_form() =>
        Assert.That(SqlText.Lex("SELECT 1", standardConformingStrings: true).Statements[0].SqlFor([]), Is.EqualTo("SELECT 1"));

    [Test]
    public void The_last_variant_is_remembered()
    {
        var first = _statement.SqlFor([true, false, false, true]);

        Assert.That(_statement.SqlFor([true, false, false, true]), Is.SameAs(first));
        Assert.That(_statement.SqlFor([true, false, true, true]), Is.Not.EqualTo(first));
        Assert.That(_statement.SqlFor([true, false, false, true]), Is.EqualTo(first));
    }

    [Test]
    public void The_second_use_allocates_nothing()
    {
        ReadOnlySpan<bool> replaced = [true, true, false, true];
        _statement.SqlFor(replaced);
        var expected = _statement.Sql;
        var before = GC.GetAllocatedBytesForCurrentThread();

        _statement.SqlFor(replaced);
        var again = _statement.Sql;

        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.Zero);
        Assert.That(again, Is.SameAs(expected));
    }

    // Texts are shared by threads that take no lock.
    [Test]
    public void What_a_statement_learns_later_is_written_in_one_step()
    {
        var torn = typeof(SqlStatement).GetFields(BindingFlags.Instance | BindingFlags.NonPublic)
            .Where(field => !field.IsInitOnly && field.FieldType is { IsValueType: true, IsEnum: false, IsPrimitive: false });

        Assert.That(torn.Select(field => field.Name), Is.Empty);
    }

    [TestCase("SELECT 1", true, true)]
    [TestCase("INSERT INTO t VALUES (1)", false, false)]
    [TestCase("INSERT INTO t VALUES (1) RETURNING id", false, true)]
    [TestCase("SELECT 1 FROM t FOR SHARE", false, true)]
    [TestCase("SELECT pg_notify('c', 'p')", false, true)]
    [TestCase("SELECT pg_try_advisory_xact_lock(1)", false, true)]
    [TestCase("SELECT set_config('app.tenant', $1, true)", false, true)]
    [TestCase("SELECT pg_catalog.SET_CONFIG('app.tenant', $1, true), id FROM t", false, true)]
    [TestCase("CALL p()", false, true)]
    [TestCase("BEGIN", false, false)]
    public void What_a_statement_does_is_the_same_when_it_is_asked_again(string sql, bool isReadOnly, bool mayReturnRows)
    {
        var statement = SqlText.Lex(sql, standardConformingStrings: true).Statements[0];
        for (var i = 0; i < 2; i++)
            Assert.That((statement.IsReadOnly, statement.MayReturnRows), Is.EqualTo((isReadOnly, mayReturnRows)));
    }

    [TestCase("INSERT INTO t VALUES (1)", true)]
    [TestCase("insert into t values (1) returning id", true)]
    [TestCase("UPDATE t SET v = v + 1 WHERE id = $1", true)]
    [TestCase("DELETE FROM t WHERE id = $1", true)]
    [TestCase("MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DO NOTHING", true)]
    [TestCase("INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING", true)]
    [TestCase("SELECT 1", false)]
    [TestCase("SELECT 1 FROM t FOR UPDATE", false)]
    [TestCase("WITH d AS (DELETE FROM t RETURNING id) SELECT id FROM d", false)]
    [TestCase("INSERT INTO t SELECT pg_advisory_xact_lock(1)", false)]
    [TestCase("UPDATE t SET v = 1 WHERE pg_try_advisory_xact_lock(id)", false)]
    [TestCase("DELETE FROM t WHERE pg_advisory_xact_lock_shared(id) IS NULL", false)]
    [TestCase("INSERT INTO t SELECT pg_advisory_lock(1)", false)]
    [TestCase("INSERT INTO t SELECT set_config('work_mem', '1MB', false)", false)]
    [TestCase("INSERT INTO t SELECT set_config('app.tenant', $1, true)", false)]
    [TestCase("UPDATE t SET v = 1 WHERE set_config('statement_timeout', '9', true) <> ''", false)]
    [TestCase("INSERT INTO t SELECT dblink_exec('c', 'DELETE FROM t')", false)]
    [TestCase("CALL p()", false)]
    [TestCase("TRUNCATE t", false)]
    [TestCase("COPY t FROM STDIN", false)]
    [TestCase("CREATE TEMP TABLE t (id int)", false)]
    public void A_change_changes_rows_and_leaves_nothing_else_in_its_transaction(string sql, bool isChange)
    {
        var statement = SqlText.Lex(sql, standardConformingStrings: true).Statements[0];
        for (var i = 0; i < 2; i++)
            Assert.That(statement.IsChange, Is.EqualTo(isChange));
    }
}
