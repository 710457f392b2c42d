using Loxo.Pool;
using Loxo.Session;

namespace Loxo.Tests.Pool;

public class SessionFingerprintTests
{
    private static readonly string?[] Fresh = [null, "session app, current app", null, null, null, null, null, null, null, null, null, null];

    [Test]
    public void The_same_state_has_no_differences() => Assert.That(SessionFingerprint.Differences(Fresh, [.. Fresh]), Is.Empty);

    [Test]
    public void Every_kind_of_state_is_named()
    {
        string?[] changed = ["work_mem = 77 by session", "session app, current other", "ExclusiveLock advisory 0 1 1", "table t", "c", "h: SELECT 1", "p: PREPARE p", "s", "true", "d", "ignored", "ignored"];

        Assert.That(SessionFingerprint.Differences(Fresh, changed), Is.EqualTo(new[]
        {
            "setting: work_mem = 77 by session", "roles: session app, current other", "no more roles: session app, current app", "lock: ExclusiveLock advisory 0 1 1",
            "temporary object: table t", "listening channel: c", "cursor: h: SELECT 1", "prepared statement: p: PREPARE p", "temporary replication slot: s",
            "replication origin is set up: true", "dblink connection: d",
        }));
    }

    [Test]
    public void Only_the_lines_that_differ_are_named()
    {
        var before = With(4, "a\nb\nc");
        var after = With(4, "a\nc\nd");

        Assert.That(SessionFingerprint.Differences(before, after), Is.EqualTo(new[] { "listening channel: d", "no more listening channel: b" }));
    }

    [Test]
    public void Statements_of_the_driver_are_missed_but_not_counted_as_left_behind()
    {
        var after = With(10, "loxo_1\nloxo_2");

        Assert.That(SessionFingerprint.Differences(Fresh, after), Is.Empty);
        Assert.That(SessionFingerprint.Forgotten(["loxo_2", "loxo_1"], after), Is.Empty);
        Assert.That(SessionFingerprint.Forgotten(["loxo_2", "loxo_3"], after), Is.EqualTo(new[] { "no more driver's prepared statement: loxo_3" }));
    }

    [Test]
    public void Custom_settings_are_compared_with_their_values_after_the_reset()
    {
        var after = With(11, "app.tenant = 7");

        Assert.That(SessionFingerprint.Differences(Fresh, after), Is.Empty);
        Assert.That(SessionFingerprint.CustomDifferences(after, Fresh), Is.EqualTo(new[] { "custom setting: app.tenant = 7" }));
        Assert.That(SessionFingerprint.CustomDifferences(after, after), Is.Empty);
    }

    [Test]
    public void Names_with_a_dot_are_asked_for()
    {
        var names = RentalRecord.DottedNames(["SELECT p.id, set_config('app.tenant', $1, false) FROM shop.items p", "SELECT 1.5, U&'\\00e4.x', APP.tenant, a.b.c"]);

        Assert.That(names, Is.EquivalentTo(new[] { "p.id", "app.tenant", "shop.items", "a.b.c" }));
        Assert.That(SessionFingerprint.Query(names), Does.Contain("'{p.id,app.tenant,shop.items,a.b.c}'"));
    }

    [Test]
    public void Each_statement_of_a_rental_is_kept_once_up_to_a_limit()
    {
        var record = new RentalRecord();
        for (var i = 0; i < 2 * RentalRecord.MostStatements; i++)
            record.Add($"SELECT {i / 2}");
        for (var i = 0; i < 3; i++)
            record.Add("SELECT 'more'");

        var statements = record.TakeStatements();

        Assert.That(statements, Has.Count.EqualTo(RentalRecord.MostStatements + 1));
        Assert.That(statements.Take(2), Is.EqualTo(new[] { "SELECT 0", "SELECT 1" }));
        Assert.That(statements[^1], Is.EqualTo("-- and 3 more executions of other statements"));
        Assert.That(record.TakeStatements(), Is.Empty);
    }

    [Test]
    public void A_long_statement_is_cut()
    {
        var record = new RentalRecord();
        record.Add($"SELECT '{new string('x', 10_000)}'");

        Assert.That(record.TakeStatements().Single(), Has.Length.EqualTo(2003).And.EndsWith("xxx..."));
    }

    private static string?[] With(int column, string value)
    {
        string?[] state = [.. Fresh];
        state[column] = value;
        return state;
    }
}
