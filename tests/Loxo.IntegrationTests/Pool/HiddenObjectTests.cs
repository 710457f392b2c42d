namespace Loxo.IntegrationTests.Pool;

/// <summary>A user's function that changes the session, behind an operator, a cast or an aggregate that a plain text uses. The function is what the audit finds.</summary>
public class HiddenObjectTests : DatabaseAuditTest
{
    private static readonly string[] Calls =
    [
        "set_config('work_mem', '77kB', false)", "pg_advisory_lock(1)", "pg_try_advisory_lock_shared(1)", "setseed(0.5)", "\"set_config\"('a.b', 'c', 1 = 0)", "(1::bigint).pg_advisory_lock",
    ];

    private static readonly string[] Objects =
    [
        "CREATE OPERATOR #%# (FUNCTION = hidden, LEFTARG = c, RIGHTARG = int)", "CREATE AGGREGATE lower(int) (SFUNC = hidden, STYPE = c)",
        "CREATE AGGREGATE lower(int ORDER BY c) (SFUNC = kept, STYPE = c, FINALFUNC = hidden)", "CREATE CAST (c AS int) WITH FUNCTION hidden(c, int)",
    ];

    [Test]
    public void What_is_made_over_a_function_that_changes_the_session_is_found(
        [ValueSource(nameof(Calls))] string call, [ValueSource(nameof(Objects))] string made, [Values("sql", "plpgsql", "atomic")] string language)
    {
        Execute("CREATE TYPE c AS (a int); CREATE FUNCTION kept(c, c) RETURNS c LANGUAGE sql AS 'SELECT $2'");
        var (type, value) = made.Contains("CAST", StringComparison.Ordinal) ? ("int", "$2") : ("c", "$1");
        var body = language switch
        {
            "sql" => $"LANGUAGE sql AS $f$ SELECT {call}; SELECT {value} $f$",
            "plpgsql" => $"LANGUAGE plpgsql AS $f$ BEGIN PERFORM {call}; RETURN {value}; END $f$",
            _ => $"LANGUAGE sql BEGIN ATOMIC SELECT {call}; SELECT {value}; END",
        };
        Execute($"CREATE FUNCTION hidden(c, int) RETURNS {type} {body}; {made}");

        Assert.That(Found().Name, Is.EqualTo("function hidden(c,integer)"));
    }

    [TestCase("CREATE OPERATOR #%# (FUNCTION = pg_advisory_lock, LEFTARG = int, RIGHTARG = int)", "operator #%#(integer,integer)")]
    [TestCase("CREATE OPERATOR #%# (FUNCTION = setseed, RIGHTARG = float8)", "operator #%#(NONE,double precision)")]
    [TestCase("CREATE CAST (int8 AS bool) WITH FUNCTION pg_try_advisory_lock(int8)", "cast from bigint to boolean")]
    [TestCase("CREATE AGGREGATE lower(text, bool) (SFUNC = set_config, STYPE = text, INITCOND = 'work_mem')", "function lower(text,boolean)")]
    [TestCase("CREATE AGGREGATE lower(text, bool ORDER BY text) (SFUNC = textcat, STYPE = text, FINALFUNC = set_config)", "function lower(text,boolean,text)")]
    public void What_is_made_over_a_built_in_function_that_changes_the_session_is_found(string made, string found)
    {
        Execute(made);

        Assert.That(Found().Name, Is.EqualTo(found));
    }
}
