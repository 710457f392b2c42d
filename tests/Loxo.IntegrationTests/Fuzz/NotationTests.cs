using Loxo.IntegrationTests.Pool;
using Loxo.Sql;
using Loxo.Tests.Sql;

namespace Loxo.IntegrationTests.Fuzz;

/// <summary>The list of notations against a server: each is a call in each place, and none of the texts counts as plain.</summary>
public class NotationTests : OwnDatabase
{
    private const string LocksHeld = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()";

    [SetUp]
    public void CreateTable() => Execute("DROP TABLE IF EXISTS notations; CREATE TABLE notations (id int PRIMARY KEY, a boolean, b int[])");

    // The next session may come before the server has ended this one.
    [TearDown]
    public void Unlock() => Execute("SELECT pg_advisory_unlock_all()");

    [Test]
    public void Every_notation_is_a_call_and_every_place_evaluates_it()
    {
        var calls = new HashSet<string>();
        var places = new HashSet<string>();
        var version = (int)Scalar("SELECT current_setting('server_version_num')::int / 10000")!;
        string[] known = [.. FunctionNotations.Places, .. FunctionNotations.NewerPlaces.Where(place => place.Version <= version).Select(place => place.Text)];
        foreach (var place in known)
        {
            foreach (var call in FunctionNotations.Calls)
            {
                if (!TakesLock(Fill(place, call)))
                    continue;
                calls.Add(call);
                places.Add(place);
                Assert.That(IsPlain(Fill(place, call)), Is.False, Fill(place, call));
            }
        }

        Assert.That(FunctionNotations.Calls.Except(calls), Is.Empty, "not a call in any place");
        Assert.That(known.Except(places), Is.Empty, "evaluates no call");
    }

    [TestCase("SELECT @id.pg_try_advisory_lock")]
    [TestCase("SELECT @id . \"pg_try_advisory_lock\"")]
    [TestCase("SELECT :id.pg_try_advisory_lock")]
    [TestCase("SELECT (@id).pg_try_advisory_lock")]
    [TestCase("SELECT (ARRAY[@id])[1].pg_try_advisory_lock")]
    public void A_parameter_has_attributes_too(string text)
    {
        using var command = new PgCommand(text, Connection);
        command.Parameters.Add(new PgParameter<long>("id", 42));
        command.ExecuteNonQuery();

        Assert.That(Scalar(LocksHeld), Is.EqualTo(1));
        Assert.That(IsPlain(text), Is.False);
    }

    [Test]
    public void A_positional_parameter_has_attributes_too()
    {
        using var command = new PgCommand("SELECT $1.pg_try_advisory_lock", Connection);
        command.Parameters.Add(new PgParameter<long> { TypedValue = 42 });
        command.ExecuteNonQuery();

        Assert.That(Scalar(LocksHeld), Is.EqualTo(1));
    }

    [Test]
    public void Attribute_notation_runs_a_text()
    {
        const string Text = "SELECT ('SELECT to_tsvector(pg_try_advisory_lock(42)::text)'::text).ts_stat";
        Execute(Text);

        Assert.That(Scalar(LocksHeld), Is.EqualTo(1));
        Assert.That(IsPlain(Text), Is.False);
    }

    [TestCase("SELECT pg_try_advisory_lock FROM notations")]
    [TestCase("SELECT pg_backend_pid")]
    [TestCase("SELECT \"pg_backend_pid\" FROM generate_series(1, 2) g")]
    [TestCase("SELECT 1 FROM generate_series(1, 2) g WHERE pg_try_advisory_lock")]
    [TestCase("SELECT 1 ORDER BY pg_backend_pid")]
    public void A_name_without_a_dot_is_no_call(string text) =>
        Assert.That(Assert.Throws<PostgresException>(() => Execute(text))!.SqlState, Is.EqualTo(SqlStates.UndefinedColumn));

    [Test]
    public void Built_in_operators_casts_and_aggregates_call_no_function_that_leaves_something() =>
        Assert.That(Names("""
            SELECT DISTINCT proname::text FROM pg_proc WHERE oid < 16384 AND oid IN (
                SELECT oprcode FROM pg_operator UNION SELECT castfunc FROM pg_cast UNION SELECT amproc FROM pg_amproc
                UNION SELECT unnest(ARRAY[aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn, aggmtransfn, aggminvtransfn, aggmfinalfn]) FROM pg_aggregate
                UNION SELECT unnest(ARRAY[typinput, typoutput, typreceive, typsend, typmodin, typmodout, typanalyze, typsubscript]) FROM pg_type)
            """).Where(name => BuiltInNames.IsOtherFunction(name)), Is.Empty);

    private List<string> Names(string sql)
    {
        using var command = new PgCommand(sql, Connection);
        using var reader = command.ExecuteReader();
        var names = new List<string>();
        while (reader.Read())
            names.Add(reader.GetString(0));
        Assert.That(names, Has.Count.GreaterThan(500));
        return names;
    }

    private bool TakesLock(string text)
    {
        Execute("TRUNCATE notations; INSERT INTO notations VALUES (1, NULL, '{1,2}')");
        try
        {
            Execute(text);
        }
        catch (PostgresException error) when (error.SqlState is not SqlStates.SyntaxError)
        {
            Execute("ROLLBACK"); // some notation is of no use in some place; the lock stays if it was taken
        }
        var count = Scalar(LocksHeld);
        Execute("SELECT pg_advisory_unlock_all()");
        return count is > 0L;
    }

    private static bool IsPlain(string text) => SqlText.Lex(text, true).Statements.ToArray().All(statement => statement.Changes == SqlChanges.None);

    private static string Fill(string place, string expression) => place.Replace("{0}", expression, StringComparison.Ordinal);
}
