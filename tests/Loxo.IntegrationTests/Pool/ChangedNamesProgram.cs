using Loxo.Session;

namespace Loxo.IntegrationTests.Pool;

/// <summary>
/// Random programs of statements that change what names mean, most of them by functions, and of statements that read what the names mean by then.
/// </summary>
/// <param name="random">Chooses the statements.</param>
/// <param name="role">A role for SET ROLE.</param>
/// <param name="isAudited">
/// Whether sessions are reset and the database has been looked through: without an answer, a function in attribute notation is taken for a column.
/// </param>
/// <param name="unseen">The statements that run functions without naming them. Without an answer nobody knows of them.</param>
internal sealed class ChangedNamesProgram(Random random, string role, bool isAudited, UnseenNameChanges unseen = UnseenNameChanges.None)
{
    // Nothing here fails if it has run before; the names of the functions say what they do.
    private static readonly (string Name, string Language, string Body)[] Functions =
    [
        ("nothing", "sql", "SELECT 'nothing'::text"),
        ("makes_t", "plpgsql", "BEGIN CREATE TEMP TABLE IF NOT EXISTS t AS SELECT 'temp.t' AS a; RETURN 'makes_t'; END"),
        ("makes_u", "plpgsql", "BEGIN EXECUTE 'CREATE ' || 'TEMP TABLE IF NOT EXISTS ' || 'u AS SELECT 8 AS a, 9 AS b'; RETURN 'makes_u'; END"),
        ("makes_view", "plpgsql", "BEGIN CREATE OR REPLACE TEMP VIEW u AS SELECT 'view'::text AS a; RETURN 'makes_view'; EXCEPTION WHEN wrong_object_type THEN RETURN 'not'; END"),
        ("drops", "plpgsql", "BEGIN DROP TABLE IF EXISTS pg_temp.t; RETURN 'drops'; END"),
        ("renames", "plpgsql", "BEGIN CREATE TEMP TABLE n AS SELECT 'renamed' AS a; ALTER TABLE n RENAME TO t; RETURN 'r'; EXCEPTION WHEN OTHERS THEN RETURN 'not'; END"),
        ("adds", "plpgsql", "BEGIN ALTER TABLE t ADD COLUMN IF NOT EXISTS c int DEFAULT 3; RETURN 'adds'; END"),
        ("path", "plpgsql", "BEGIN PERFORM set_config('search_path', 'near, public', false); RETURN 'path'; END"),
        ("local_path", "plpgsql", "BEGIN PERFORM set_config('search_path', 'far, public', true); RETURN 'local'; END"),
        ("resets", "plpgsql", "BEGIN RESET search_path; RETURN 'resets'; END"),
        ("calls", "sql", "SELECT public.makes_t()"),
        ("calls_it", "plpgsql", "BEGIN RETURN \"public\" . calls(); END"),
        ("undoes", "plpgsql", "BEGIN BEGIN PERFORM makes_t(); RAISE 'undone'; EXCEPTION WHEN raise_exception THEN RETURN 'undone'; END; END"),
        ("fails", "plpgsql", "BEGIN PERFORM public.makes_t(); RAISE 'failed'; END"),
        ("near", "plpgsql", "BEGIN CREATE TABLE IF NOT EXISTS near.u AS SELECT 'near.u' AS a; RETURN 'near'; END"),
        ("not_near", "plpgsql", "BEGIN DROP TABLE IF EXISTS near.u; RETURN 'not_near'; END"),
        ("xml", "sql", "SELECT left(query_to_xml('SELECT public.makes_t()', true, true, '')::text, 5)"),
        ("as_role", "plpgsql", "BEGIN SET LOCAL ROLE postgres; RETURN 'role'; END"),
    ];

    /// <summary>What each program starts with.</summary>
    public static readonly string[] Schema =
    [
        "DROP SCHEMA IF EXISTS public, near, far CASCADE; CREATE SCHEMA public; CREATE SCHEMA near; CREATE SCHEMA far",
        "GRANT ALL ON SCHEMA public, near, far TO public",
        "CREATE TABLE public.t AS SELECT 'public.t' AS a; CREATE TABLE public.u AS SELECT 'public.u' AS a; CREATE TABLE near.t AS SELECT 'near.t' AS a",
        "CREATE TABLE far.t AS SELECT 7 AS a, 'far.t' AS b; CREATE TABLE public.log (a text)",
        "CREATE FUNCTION public.f() RETURNS text LANGUAGE sql AS $$ SELECT 'public.f'::text $$; CREATE FUNCTION near.f() RETURNS text LANGUAGE sql AS $$ SELECT 'near.f'::text $$",
        .. Functions.Select(function => $"CREATE FUNCTION public.{function.Name}() RETURNS text LANGUAGE {function.Language} AS $$ {function.Body} $$"),
        "CREATE FUNCTION public.in_default(a text DEFAULT public.makes_t()) RETURNS text LANGUAGE sql AS 'SELECT a'",
        "CREATE FUNCTION public.atomic() RETURNS text LANGUAGE sql RETURN public.makes_t()",
        "CREATE FUNCTION public.step(text, text) RETURNS text LANGUAGE sql AS 'SELECT public.makes_t()'; CREATE AGGREGATE public.total(text) (SFUNC = public.step, STYPE = text)",
        "CREATE FUNCTION public.of_t(public.t) RETURNS text LANGUAGE sql AS 'SELECT public.makes_u()'",
        "CREATE PROCEDURE public.makes() LANGUAGE plpgsql AS $$ BEGIN PERFORM public.makes_t(); END $$",
        "GRANT ALL ON ALL TABLES IN SCHEMA public, near, far TO public",
    ];

    // Code that changes of rows run unseen.
    private static readonly string[] SchemaOfChanges =
    [
        "CREATE TABLE public.noted (a text); CREATE TABLE public.late (a text); CREATE TABLE public.filled (a text DEFAULT public.makes_t())",
        "CREATE FUNCTION public.on_noted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM public.makes_t(); RETURN new; END $$",
        "CREATE TRIGGER x BEFORE INSERT OR UPDATE ON public.noted FOR EACH ROW EXECUTE FUNCTION public.on_noted()",
        "CREATE CONSTRAINT TRIGGER x AFTER INSERT ON public.late DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.on_noted()",
        "CREATE FUNCTION public.notes() RETURNS text LANGUAGE sql AS $$ INSERT INTO public.noted VALUES ('x') RETURNING a $$",
        "GRANT ALL ON ALL TABLES IN SCHEMA public, near, far TO public",
    ];

    // Code that any statement may run unseen.
    private static readonly string[] SchemaOfQueries =
    [
        "CREATE VIEW public.seen AS SELECT public.makes_u() AS a; CREATE VIEW public.noting AS SELECT public.notes() AS a",
        "CREATE FUNCTION public.either(int, text) RETURNS text LANGUAGE sql AS 'SELECT public.drops()'; CREATE OPERATOR public.@! (FUNCTION = public.either, LEFTARG = int, RIGHTARG = text)",
        "CREATE FUNCTION public.lower(int) RETURNS text LANGUAGE sql AS 'SELECT public.makes_t()'",
        "CREATE TYPE public.c AS (a int); CREATE FUNCTION public.of_c(public.c) RETURNS text LANGUAGE sql AS 'SELECT public.renames()'; CREATE CAST (public.c AS text) WITH FUNCTION public.of_c(public.c)",
        "GRANT ALL ON ALL TABLES IN SCHEMA public, near, far TO public",
    ];

    /// <summary>The code that these statements run unseen.</summary>
    public static string[] UnseenSchema(UnseenNameChanges by) => by switch
    {
        UnseenNameChanges.None => [],
        UnseenNameChanges.ByChange => SchemaOfChanges,
        _ => [.. SchemaOfChanges, .. SchemaOfQueries],
    };

    /// <summary>With a schema for temporary tables the search path stays the same when a table is made there, and the server plans nothing anew.</summary>
    public const string Start = "CREATE TEMP TABLE other (a int)";

    private const string Attribute = "SELECT x.of_t FROM public.t x";

    private static readonly string[] Calls =
    [
        .. Functions.Select(function => $"SELECT public.{function.Name}()"),
        "SELECT Public . Makes_T ( )", "SELECT \"makes_t\"()", "SELECT * FROM public.makes_u() AS x (y)", "SELECT public.in_default()", "SELECT public.atomic()",
        "SELECT public.total(a) FROM public.log", "SELECT public.of_t(x) FROM public.t x", "WITH x AS (SELECT public.makes_t() AS y) SELECT y FROM x",
        "INSERT INTO public.log SELECT public.makes_u()", "UPDATE public.log SET a = public.makes_t()", "SELECT public.makes_t() || a FROM t",
        "SELECT CASE WHEN random() >= 0 THEN public.makes_t() END", "CALL public.makes()", "DO $$ BEGIN PERFORM public.makes_t(); END $$",
        "SELECT U&\"m\\0061kes_t\"()", "SELECT count(*)::text FROM public.t WHERE public.makes_u() IS NOT NULL",
    ];

    private static readonly string[] Changes =
    [
        "INSERT INTO public.noted VALUES ('x')", "UPDATE public.noted SET a = 'y'", "INSERT INTO public.late VALUES ('x')", "INSERT INTO public.filled DEFAULT VALUES", "SELECT public.notes()",
        "WITH x AS (INSERT INTO public.noted VALUES ('x') RETURNING a) SELECT a FROM x", "SET CONSTRAINTS ALL IMMEDIATE", "DECLARE c CURSOR FOR SELECT public.makes_t()", "FETCH c", "MOVE c",
        "COMMIT",
    ];

    private static readonly string[] Queries =
    [
        "SELECT * FROM public.seen", "SELECT * FROM public.noting", "SELECT 1 OPERATOR(public.@!) 'x'::text", "SELECT public.lower(1)", "SELECT ROW(1)::public.c::text", "FETCH d",
        "DECLARE d CURSOR FOR SELECT * FROM public.seen",
    ];

    private static readonly string[] Texts =
    [
        "CREATE TEMP TABLE IF NOT EXISTS t AS SELECT 'by text' AS a", "DROP TABLE IF EXISTS pg_temp.t", "DROP TABLE IF EXISTS pg_temp.u", "SELECT 5 AS a INTO TEMP u",
        "SET search_path = far, public", "SET LOCAL search_path = near, public", "RESET search_path", "RESET ALL", "SET search_path TO DEFAULT", "SET SESSION search_path = public",
        "CREATE TABLE IF NOT EXISTS near.u AS SELECT 'near.u by text' AS a", "DROP TABLE IF EXISTS near.u", "ALTER TABLE far.t RENAME TO u", "ALTER TABLE far.u RENAME TO t",
        "ALTER TABLE t ADD COLUMN d int", "DISCARD PLANS", "SELECT set_config('search_path', 'near, public', false)", "SELECT set_config('search_path', 'far, public', true)",
        "BEGIN", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT s", "ROLLBACK TO s", "RELEASE s", "RESET ROLE",
    ];

    private static readonly string[] Reads =
    [
        "SELECT a FROM t", "SELECT * FROM t", "SELECT a FROM u", "SELECT * FROM u", "SELECT t.a, u.a FROM t, u", "SELECT f()", "SELECT count(*)::text FROM t WHERE a::text > ''",
        "UPDATE t SET a = a RETURNING a", "SELECT (SELECT a FROM u)", "WITH x AS (SELECT * FROM t) SELECT * FROM x", "SELECT a FROM public.t", "SELECT current_setting('search_path')",
        "SELECT t::text FROM t", "INSERT INTO t SELECT a FROM t WHERE false RETURNING *", "SELECT current_user::text",
    ];

    // A program has few texts, so that most of them have been prepared before a name changes.
    private readonly string[] _reads = random.GetItems(Reads, 4);
    private readonly string[] _calls = [.. random.GetItems(isAudited ? [.. Calls, Attribute] : Calls, 4), "SELECT public.drops()", .. Unseen(random, unseen)];
    private readonly string[] _texts = [.. random.GetItems(Texts, 3), "ROLLBACK", "RESET ROLE"];

    /// <summary>A step of a program: statements that run together.</summary>
    /// <param name="Way">How the driver runs them.</param>
    /// <param name="Texts">The statements; none to close the connection and to open another one.</param>
    internal sealed record Step(Way Way, string[] Texts);

    /// <summary>How the driver under test runs the statements of a step.</summary>
    internal enum Way
    {
        /// <summary>As a command each, which the driver prepares by itself.</summary>
        Command,
        /// <summary>As a command each that was prepared before, and is kept.</summary>
        Prepared,
        Batch,
        /// <summary>In a pipeline, each in a group of its own.</summary>
        Pipeline,
        /// <summary>The connection goes back, and another one is taken.</summary>
        Rental,
    }

    /// <summary>The steps of the program.</summary>
    public IEnumerable<Step> Steps(int count) => Enumerable.Range(0, count).Select(_ => Next());

    private static string[] Unseen(Random random, UnseenNameChanges by) => by switch
    {
        UnseenNameChanges.None => [],
        UnseenNameChanges.ByChange => random.GetItems(Changes, 6),
        _ => random.GetItems([.. Changes, .. Queries], 8),
    };

    private Step Next()
    {
        if (isAudited && random.Next(25) == 0)
            return new Step(Way.Rental, []);
        var way = (Way)random.Next(4);
        var length = way is Way.Batch or Way.Pipeline ? random.Next(1, 5) : 1;
        return new Step(way, [.. Enumerable.Range(0, length).Select(_ => Text())]);
    }

    private string Text() => random.Next(20) switch
    {
        < 12 => Pick(_reads),
        < 17 => Pick(_calls),
        _ => random.Next(10) == 0 ? $"SET ROLE {role}" : Pick(_texts),
    };

    private string Pick(string[] texts) => texts[random.Next(texts.Length)];
}
