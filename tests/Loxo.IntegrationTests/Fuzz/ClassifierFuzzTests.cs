using System.Collections.Frozen;
using Loxo.IntegrationTests.Pool;
using Loxo.Pool;
using Loxo.Sql;

namespace Loxo.IntegrationTests.Fuzz;

/// <summary>
/// Whatever the classifier calls plain is run, and the session has to be as before. The database has no functions of its own but those of some
/// extensions, so that nothing is hidden behind a text.
/// </summary>
public class ClassifierFuzzTests : OwnDatabase
{
    private const int BatchSize = 20;

    // SET TRANSACTION becomes the source of transaction_isolation and the like, which begin anew with each transaction: there the value counts.
    private const string State =
        """
        SELECT 'setting ' || name || ' = ' || setting || CASE WHEN name LIKE 'transaction%' THEN '' ELSE ' by ' || source END FROM pg_settings WHERE category <> 'Customized Options' OR source = 'session'
        UNION ALL SELECT 'fuzz.x = ' || coalesce(current_setting('fuzz.x', true), '') || coalesce(current_setting('local.x', true), '')
        UNION ALL SELECT 'advisory lock ' || objid FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()
        UNION ALL SELECT 'channel ' || c FROM pg_listening_channels() c
        UNION ALL SELECT 'statement ' || name FROM pg_prepared_statements WHERE from_sql
        UNION ALL SELECT 'cursor ' || name FROM pg_cursors WHERE is_holdable
        UNION ALL SELECT 'temporary schema ' || pg_my_temp_schema()
        UNION ALL SELECT 'temporary ' || relname FROM pg_class WHERE relnamespace = pg_my_temp_schema()
        UNION ALL SELECT 'roles ' || session_user || ' ' || current_user
        UNION ALL SELECT 'slot ' || slot_name FROM pg_replication_slots WHERE temporary AND active_pid = pg_backend_pid()
        UNION ALL SELECT 'origin ' || pg_replication_origin_session_is_setup()
        UNION ALL SELECT 'weak ' || isn_weak()
        UNION ALL SELECT 'limit ' || show_limit()
        """;

    private PgConnection _session = null!;
    private string[] _before = [];
    private FrozenSet<string>? _functions;

    [SetUp]
    public void OpenSession()
    {
        Execute("CREATE TABLE IF NOT EXISTS t (id int PRIMARY KEY GENERATED ALWAYS AS IDENTITY, a text); CREATE TABLE IF NOT EXISTS u (id int, b text); TRUNCATE t, u");
        Execute("CREATE EXTENSION IF NOT EXISTS pg_trgm; CREATE EXTENSION IF NOT EXISTS isn; CREATE EXTENSION IF NOT EXISTS dblink");
        _functions = ReadFunctions();
        Execute("INSERT INTO t (a) VALUES ('a'), ('b'); INSERT INTO u VALUES (1, 'c')");
        Renew();
    }

    [TearDown]
    public void CloseSession() => _session.Dispose();

    [Test]
    public void Every_plain_function_leaves_the_session_as_it_was()
    {
        var calls = FunctionCalls.All(Connection).ToArray();
        var texts = calls.Select(call => $"SELECT {call}").Concat(calls.Select(call => $"SELECT * FROM {call.Replace(" OVER ()", "", StringComparison.Ordinal)} x")).ToArray();

        var plain = Run(texts);

        Assert.That(plain, Is.GreaterThan(texts.Length / 2), "most functions are plain");
    }

    [Test]
    public void A_plain_text_leaves_the_session_as_it_was([Range(1, 4)] int seed) => Fuzz(seed, 1000);

    [Test]
    public void A_bent_notation_that_is_plain_leaves_the_session_as_it_was([Range(1, 4)] int seed)
    {
        var generator = new StatementGenerator(seed, []);

        Run([.. Enumerable.Range(0, 2000).Select(_ => generator.NextNotation())]);
    }

    [Test, Category("Long")]
    public void A_bent_notation_that_is_plain_leaves_the_session_as_it_was_in_a_long_run()
    {
        using var run = LongRun.Begin("notations at random", cases: 1);
        var generator = new StatementGenerator(LongRun.Seed, []);
        foreach (var _ in run.Times(100, "times 2,000 notations"))
            Run([.. Enumerable.Range(0, 2000).Select(_ => generator.NextNotation())]);
    }

    [Test, Category("Long")]
    public void A_plain_text_leaves_the_session_as_it_was_in_a_long_run()
    {
        using var run = LongRun.Begin("statements at random", cases: 1);
        foreach (var seed in run.Seeds(100, "times 2,000 statements"))
            Fuzz(seed, 2000);
    }

    [TestCase("SELECT pg_advisory_lock(42)")]
    [TestCase("SELECT set_config('fuzz.x', 'y', false)")]
    [TestCase("UPDATE pg_settings SET setting = 'off' WHERE name = 'enable_sort'")]
    [TestCase("SELECT 1 AS a INTO TEMP fuzz")]
    [TestCase("LISTEN fuzz")]
    [TestCase("PREPARE fuzz AS SELECT 1")]
    [TestCase("DECLARE c CURSOR WITH HOLD FOR SELECT 1")]
    [TestCase("SELECT TREAT(42 AS pg_try_advisory_lock)")]
    [TestCase("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")]
    [TestCase("SELECT (0.7::real).set_limit")]
    [TestCase("SELECT (true).isn_weak")]
    [TestCase("SELECT (42).pg_try_advisory_lock")]
    public void What_a_text_leaves_would_be_noticed(string text)
    {
        Try(text);

        Assert.That(HasChanged(), Is.True);
    }

    // PostgreSQL 18 evaluates the third argument as NULL, which means false; 15 does not.
    [TestCase("GROUPING SETS ((1), ())")]
    [TestCase("ROLLUP (1)")]
    [TestCase("CUBE (1)")]
    public void A_setting_that_grouping_sets_make_last_is_not_plain(string sets)
    {
        var text = $"SELECT true FROM t JOIN u ON false GROUP BY {sets} HAVING set_config('work_mem', '77kB', true) IS NULL";
        Try(text);

        Assert.That(HasChanged() && IsPlain(text), Is.False);
    }

    private void Fuzz(int seed, int count)
    {
        var generator = new StatementGenerator(seed, [.. FunctionCalls.All(Connection)]);

        var plain = Run([.. Enumerable.Range(0, count).Select(_ => generator.Next())]);

        Assert.That(plain, Is.InRange(count / 4, count * 3 / 4), "there are texts of both kinds");
    }

    /// <returns>The number of texts that are plain.</returns>
    private int Run(string[] texts)
    {
        var plain = Array.FindAll(texts, IsPlain);
        foreach (var batch in plain.Chunk(BatchSize))
        {
            foreach (var text in batch)
                Try(text);
            Try("ROLLBACK");
            if (HasChanged())
                Blame(batch);
        }
        return plain.Length;
    }

    private bool IsPlain(string text) => SqlText.Lex(text, true).Statements.ToArray().All(statement => statement.ChangesWith(_functions) == SqlChanges.None);

    private FrozenSet<string>? ReadFunctions()
    {
        using var command = new PgCommand(DatabaseAudit.Query, Connection);
        using var reader = command.ExecuteReader();
        reader.Read();
        Assert.That(reader.IsDBNull(0), Is.True, "nothing is hidden");
        return DatabaseAuditVerdict.Of([null, null, "f", reader.GetString(3)]).Functions;
    }

    private void Blame(string[] batch)
    {
        foreach (var text in batch)
        {
            Renew();
            Try(text);
            Try("COMMIT");
            if (HasChanged())
                Assert.Fail($"This text counts as plain, but it left {Changes()}:\n{text}");
        }
        Assert.Fail($"One of these texts, which count as plain, left something in the session when run one after the other:\n{string.Join("\n;\n", batch)}");
    }

    private void Try(string text)
    {
        try
        {
            using var command = new PgCommand(text, _session);
            command.ExecuteNonQuery();
        }
        catch (Exception error) when (error is PgException or InvalidOperationException)
        {
            // A text that fails may leave something, too.
        }
        Assert.That(_session.State, Is.EqualTo(System.Data.ConnectionState.Open), $"The session did not survive:\n{text}");
    }

    private void Renew()
    {
        _session?.Dispose();
        _session = new PgConnection(ConnectionString + ";Options=-c statement_timeout=5000 -c lock_timeout=1000");
        _session.Open();
        _before = Read();
    }

    private bool HasChanged() => !_before.SequenceEqual(Read());

    private string Changes() => string.Join(", ", Read().Except(_before).Concat(_before.Except(Read()).Select(line => $"no more {line}")));

    private string[] Read()
    {
        using var command = new PgCommand(State, _session);
        using var reader = command.ExecuteReader();
        var lines = new List<string>();
        while (reader.Read())
        {
            if (!reader.IsDBNull(0))
                lines.Add(reader.GetString(0));
        }
        return [.. lines];
    }
}
