namespace Loxo.IntegrationTests.Exactness;

/// <summary>
/// The first run of a text, when the driver does not know yet which columns the server can send in binary. PostgreSQL finds that out only
/// while it executes the statement (printtup_startup, printtup.c), when it may have had its effects already.
/// </summary>
[TestFixture(WaitMode.Blocking, Counter.Sequence), TestFixture(WaitMode.Async, Counter.Sequence)]
[TestFixture(WaitMode.Blocking, Counter.Dblink), TestFixture(WaitMode.Async, Counter.Dblink)]
[Category("OneServer")]
public class FirstRunTests(WaitMode mode, Counter counter) : ProofTest(mode, counter)
{
    private static readonly Reach[] _columnsWithoutBinaryOutput =
    [
        new("array", "SELECT proof_act(), acldefault('r', 10::oid)"),
        new("element", "SELECT proof_act(), (acldefault('r', 10::oid))[1], 3"),
        new("type that is always NULL", "SELECT NULL::gtsvector, proof_act()"),
        new("parameter", "SELECT proof_act(), $1, acldefault('r', 10::oid)"),
        new("RETURNING", "INSERT INTO proof_plain SELECT proof_act() RETURNING id, acldefault('r', 10::oid)"),
        new("trigger", "INSERT INTO proof_before VALUES (1) RETURNING acldefault('r', 10::oid)"),
        new("UPDATE", "UPDATE proof_one SET id = proof_act() RETURNING acldefault('r', 10::oid)"),
        new("CTE", "WITH x AS (INSERT INTO proof_plain SELECT proof_act() RETURNING id) SELECT id, acldefault('r', 10::oid) FROM x"),
        new("view", "SELECT id, acldefault('r', 10::oid) FROM proof_view"),
        new("procedure", "CALL proof_out(NULL)"),
    ];

    private int _texts;

    private static IEnumerable<Reach> Columns => _columnsWithoutBinaryOutput;

    [TestCaseSource(nameof(Columns))]
    public async Task A_column_without_binary_output_costs_no_second_run(Reach reach)
    {
        var failures = new List<string>();
        var ways = Affordable(Way.All.Where(way => way.Use is Use.First or Use.Prepared && !(reach.HasParameter && !way.IsBatch && way.Place != Place.Alone)));
        foreach (var way in ways)
        {
            if (await Failure(reach, way) is { } failure)
                failures.Add($"{way}: {failure}");
        }
        AssertNone(failures, ways.Length);
    }

    [Test]
    public async Task A_column_that_loses_its_binary_output_costs_no_second_run([Values(Use.LaterUnprepared, Use.AutoPrepared, Use.Prepared)] Use use, [Values] Call call)
    {
        Database.Run("ALTER TABLE proof_grown DROP COLUMN IF EXISTS acl; ALTER TABLE proof_grown ADD acl int");
        var way = new Way(Place.Alone, use, Within.Autocommit, call);
        await using var statement = new PlacedStatement(Connection, new Reach("grown", "SELECT proof_act(), acl FROM proof_grown"), way, Executor, $"loses {++_texts}");
        await statement.WarmUp();
        Database.Run("ALTER TABLE proof_grown DROP acl; ALTER TABLE proof_grown ADD acl aclitem");
        Database.Restart();

        var error = await Outcome(statement.Run);

        Assert.That(Database.Counted(), error is null ? Is.EqualTo(1) : Is.LessThanOrEqualTo(1), error?.ToString());
        Assert.That(error, Is.Null.Or.InstanceOf<PgException>());
        await statement.Run();
    }

    /// <summary>
    /// Formats are remembered for a text with such a column. The server finds that they fit no more when it has planned the statement, and
    /// the planner has called the immutable functions.
    /// </summary>
    [Test]
    public async Task Remembered_formats_that_fit_no_more_cost_no_second_plan([Values(Use.LaterUnprepared, Use.Second, Use.AutoPrepared)] Use use, [Values] Call call)
    {
        Database.Run("ALTER TABLE proof_grown ADD IF NOT EXISTS acl aclitem");
        var way = new Way(Place.Alone, use, Within.Autocommit, call);
        await using var statement = new PlacedStatement(Connection, new Reach("grown", "SELECT proof_counts($1), * FROM proof_grown"), way, Executor, $"grows {++_texts}");
        await statement.WarmUp();
        Database.Run($"ALTER TABLE proof_grown ADD c{_texts} int");
        Database.Restart();

        var error = await Outcome(statement.Run);

        Assert.That(Database.Counted(), Is.EqualTo(1), error?.ToString());
        Assert.That(error, Is.Null.Or.InstanceOf<PgException>());
        await statement.Run();
    }

    // Null if all is well.
    private async Task<string?> Failure(Reach reach, Way way)
    {
        Database.Restart();
        await using var statement = new PlacedStatement(Connection, reach, way, Executor, $"{++_texts}");
        await statement.WarmUp();
        var transaction = await Begin(way.Within);
        var error = First(await Outcome(statement.Run));
        var (counted, neighbours) = (Database.Counted(), Database.Neighbours());
        await End(transaction);
        if (Judge(way, error, counted, neighbours) is { } failure)
            return failure;

        Database.Restart();
        error = await Outcome(statement.Run);
        return error is not null || Database.Counted() != 1 ? $"the next run ran {Database.Counted()} times; {error?.Message}" : null;
    }

    private static string? Judge(Way way, Exception? error, int counted, int neighbours)
    {
        if (error is null)
            return counted == 1 && neighbours == way.Before + way.Behind ? null : $"it ran {counted} times and succeeded; the others ran {neighbours} times";
        if (error is not PgException)
            return $"the caller got: {error.GetType().Name}: {error.Message}";
        if (way is { Place: Place.Alone, Within: Within.Autocommit } or { Use: Use.Prepared })
            return $"it failed: {error.Message}";
        return counted <= 1 && neighbours <= way.Before + way.Behind ? null : $"it ran {counted} times, the others {neighbours} times; {error.Message}";
    }
}
