namespace Loxo.IntegrationTests.Pool;

/// <summary>The functions of which the audit says that they may change the meaning of names.</summary>
public class NameChangerTests : DatabaseAuditTest
{
    [TestCase("BEGIN CREATE TEMP TABLE x (a int); END")]
    [TestCase("BEGIN create view x AS SELECT 1; END")]
    [TestCase("BEGIN IF true THEN DROP TABLE x; END IF; END")]
    [TestCase("BEGIN ALTER TABLE x RENAME TO y; END")]
    [TestCase("BEGIN ALTER TABLE x SET SCHEMA y; END")]
    [TestCase("BEGIN -- don't\n ALTER TABLE x ADD a int; END")]
    [TestCase("BEGIN IMPORT FOREIGN SCHEMA a FROM SERVER s INTO b; END")]
    [TestCase("BEGIN SET search_path = x; END")]
    [TestCase("BEGIN SET LOCAL search_path TO x; END")]
    [TestCase("BEGIN SET SESSION search_path TO x; END")]
    [TestCase("BEGIN SET LOCAL \"search_path\" TO x; END")]
    [TestCase("BEGIN SET SCHEMA 'x'; END")]
    [TestCase("BEGIN SET LOCAL SCHEMA 'x'; END")]
    [TestCase("BEGIN SET ROLE x; END")]
    [TestCase("BEGIN SET LOCAL ROLE x; END")]
    [TestCase("BEGIN SET SESSION AUTHORIZATION x; END")]
    [TestCase("BEGIN RESET search_path; END")]
    [TestCase("BEGIN DISCARD TEMP; END")]
    [TestCase("BEGIN DO 'BEGIN END'; END")]
    [TestCase("BEGIN EXECUTE 'SELECT 1'; END")]
    [TestCase("BEGIN PERFORM set_config('search_path', 'x', true); END")]
    [TestCase("BEGIN PERFORM set_config('Search_Path', 'x', false); END")]
    [TestCase("BEGIN PERFORM set_config('role', 'x', true); END")]
    [TestCase("BEGIN PERFORM set_config('search' || '_path', 'x', true); END")]
    [TestCase("BEGIN PERFORM set_config($1::text, 'x', true); END")]
    [TestCase("BEGIN PERFORM set_config(E'search\\x5fpath', 'x', true); END")]
    [TestCase("BEGIN UPDATE pg_settings SET setting = 'x' WHERE name = 'search_path'; END")]
    [TestCase("BEGIN PERFORM query_to_xml($1::text, true, true, ''); END")]
    [TestCase("BEGIN PERFORM U&\"\\0061\"(); END")]
    public void A_function_that_may_change_names_is_named(string source)
    {
        Execute($"CREATE FUNCTION f(a int) RETURNS void LANGUAGE plpgsql AS $src$ {source} $src$");

        Assert.That(Named(), Is.EqualTo(new[] { "f" }));
    }

    [TestCase("BEGIN NULL; END")]
    [TestCase("BEGIN PERFORM other(); PERFORM lower('alter'); END")]
    [TestCase("BEGIN UPDATE t SET a = 1; INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING; DELETE FROM t; END")]
    [TestCase("BEGIN MERGE INTO t USING t u ON true WHEN MATCHED THEN DO NOTHING; END")]
    [TestCase("BEGIN /* create, drop, alter */ PERFORM 1; -- set search_path; execute\n END")]
    [TestCase("BEGIN SET LOCAL work_mem = '1MB'; SET a.b TO 'x'; SET SESSION a.b = 'x'; SET TIME ZONE 'UTC'; SET CONSTRAINTS ALL DEFERRED; END")]
    [TestCase("BEGIN PERFORM set_config('app.search_path', 'x', false), set_config('role_name', 'x', true); END")]
    [TestCase("DECLARE r record; search_path text := 'x'; BEGIN SELECT 1 INTO r; FOR r IN SELECT 1 LOOP RAISE NOTICE 'create %', r; END LOOP; END")]
    [TestCase("BEGIN LISTEN x; PERFORM pg_advisory_lock(1); PREPARE p AS SELECT 1; END")]
    public void A_function_that_changes_no_names_is_not_named(string source)
    {
        Execute($"CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $src$ {source} $src$");
        Assert.That(Named(), Is.Empty);

        Execute("CREATE FUNCTION other() RETURNS void LANGUAGE sql AS 'SELECT 1'; CREATE FUNCTION makes() RETURNS void LANGUAGE plpgsql AS 'BEGIN CREATE TEMP TABLE x (); END'");
        Assert.That(Named(), Is.EqualTo(new[] { "makes" }), "nor where another one is");
    }

    [TestCase("plpgsql", "BEGIN PERFORM makes(); END")]
    [TestCase("plpgsql", "BEGIN PERFORM app . \"makes\" -- don't (\n ( ); END")]
    [TestCase("plpgsql", "BEGIN PERFORM MAKES /* it's */ (1); END")]
    [TestCase("plpgsql", "DECLARE x int := (1).makes; BEGIN END")]
    [TestCase("plpgsql", "DECLARE x int; BEGIN x := (1) . \"makes\"; END")]
    [TestCase("sql", "SELECT x.makes FROM x")]
    [TestCase("sql", "SELECT gr\u00f6\u00dfe()")]
    [TestCase("sql", "SELECT \"Makes It\"()")]
    public void A_function_that_calls_one_is_named(string language, string source)
    {
        Execute("SET LOCAL check_function_bodies = off");
        foreach (var name in new[] { "makes", "gr\u00f6\u00dfe", "\"Makes It\"" })
            Execute($"CREATE FUNCTION {name}() RETURNS void LANGUAGE plpgsql AS 'BEGIN CREATE TEMP TABLE x (); END'");

        Execute($"CREATE FUNCTION f() RETURNS void LANGUAGE {language} AS $src$ {source} $src$; CREATE FUNCTION \"G\"() RETURNS void LANGUAGE sql AS 'SELECT f()'");

        Assert.That(Named(), Is.EquivalentTo(new[] { "makes", "gr\u00f6\u00dfe", "Makes It", "f", "G" }));
    }

    [Test]
    public void A_function_that_sets_a_path_in_an_expression_tree_is_named()
    {
        Execute("CREATE FUNCTION f() RETURNS text LANGUAGE sql BEGIN ATOMIC SELECT set_config('search_path', 'x', true); END");
        Execute("CREATE FUNCTION g(a text DEFAULT set_config('search_path', 'x', true)) RETURNS text LANGUAGE sql AS 'SELECT a'");

        Assert.That(Named(), Is.EquivalentTo(new[] { "f", "g" }));
    }

    [Test]
    public void Functions_that_call_each_other_are_followed_to_the_end()
    {
        Execute("CREATE FUNCTION f0() RETURNS void LANGUAGE plpgsql AS 'BEGIN PERFORM f99(); CREATE TEMP TABLE x (); END'");
        for (var i = 1; i < 100; i++)
            Execute($"CREATE FUNCTION f{i}() RETURNS void LANGUAGE plpgsql AS 'BEGIN PERFORM f{i - 1}(); END'; CREATE FUNCTION g{i}() RETURNS void LANGUAGE plpgsql AS 'BEGIN PERFORM g{i - 1}(); END'");

        Assert.That(Named(), Is.EquivalentTo(Enumerable.Range(0, 100).Select(i => $"f{i}")));
    }

    [Test]
    public void Other_languages_count_unless_an_extension_is_known()
    {
        Execute("CREATE EXTENSION hstore; CREATE FUNCTION f(bigint) RETURNS bigint STRICT LANGUAGE internal AS 'int8up'; CREATE PROCEDURE p() LANGUAGE sql AS 'SELECT f(1)'");

        Assert.That(Named(), Is.EquivalentTo(new[] { "f", "p" }));
    }

    /// <summary>The functions that are named, but those built-in ones that run a text.</summary>
    private IEnumerable<string> Named()
    {
        var names = Audit().NameChangers ?? [];
        var own = names.Where(name => !name.Contains("_to_xml", StringComparison.Ordinal) && !name.StartsWith("ts_", StringComparison.Ordinal)).ToList();
        Assert.That(names.Contains("query_to_xml"), Is.EqualTo(own.Count > 0));
        return own;
    }
}
