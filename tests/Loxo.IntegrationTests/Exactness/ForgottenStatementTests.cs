namespace Loxo.IntegrationTests.Exactness;

/// <summary>
/// A prepared statement that the server has forgotten, or that is out of date, is prepared anew and run unseen, but only where nothing has
/// been executed: no statement beside it runs twice.
/// </summary>
[TestFixture(WaitMode.Blocking, Counter.Sequence), TestFixture(WaitMode.Async, Counter.Sequence)]
[TestFixture(WaitMode.Blocking, Counter.Dblink), TestFixture(WaitMode.Async, Counter.Dblink)]
[Category("OneServer")]
public class ForgottenStatementTests(WaitMode mode, Counter counter) : ProofTest(mode, counter)
{
    private static readonly Reach _reach = new("grown", "SELECT proof_act(), * FROM proof_grown");

    private int _texts;

    /// <summary>How a prepared statement becomes useless without the driver's knowledge.</summary>
    public enum Loss
    {
        Deallocated,
        Outdated,
    }

    [Test]
    public async Task A_statement_that_must_be_prepared_anew_runs_once_and_so_do_those_beside_it([Values] Loss loss)
    {
        var failures = new List<string>();
        var ways = Affordable(Way.All.Where(way => way.Use is Use.AutoPrepared or Use.Prepared));
        foreach (var way in ways)
        {
            if (await Failure(loss, way) is { } failure)
                failures.Add($"{way}: {failure}");
        }
        AssertNone(failures, ways.Length);
    }

    [Test]
    public async Task A_statement_that_must_be_prepared_anew_and_then_raises_ran_once([Values] Loss loss, [ValueSource(typeof(ErrorSource), nameof(ErrorSource.All))] ErrorSource source)
    {
        var way = new Way(Place.Alone, Use.AutoPrepared, Within.Autocommit, Call.NonQuery);
        await using var statement = new PlacedStatement(Connection, _reach, way, Executor, $"raises {++_texts}");
        Database.Restart();
        await statement.WarmUp();
        await Lose(loss);
        Database.Restart(source);

        var error = await Outcome(statement.Run);

        Assert.That(Database.Counted(), Is.EqualTo(1));
        Assert.That(error, Is.InstanceOf<PostgresException>().With.Property(nameof(PostgresException.SqlState)).EqualTo(source.SqlState));
        await Reopen();
    }

    /// <summary>Bind reads the parameters in their order: the check of a domain runs before the server misses the next one's type.</summary>
    [Test]
    public async Task A_type_that_is_gone_behind_a_parameter_whose_check_counts_costs_no_second_run([Values] bool prepares)
    {
        const string make = "DROP TYPE IF EXISTS proof_mood; CREATE TYPE proof_mood AS ENUM ('ok')";
        Database.Run(make);
        await using var command = new PgCommand($"SELECT $1::int, $2::text /* {++_texts} */", Connection) { AutoPrepare = false };
        command.Parameters.Add(new PgParameter { Value = 7, DataTypeName = "proof_domain" });
        command.Parameters.Add(new PgParameter { Value = "ok", DataTypeName = "proof_mood" });
        if (prepares)
            await Mode.Prepare(command);
        await Mode.ExecuteScalar(command);
        Database.Run(make);
        Database.Restart();

        var error = await Outcome(() => Mode.ExecuteScalar(command));

        Assert.That(Database.Counted(), Is.LessThanOrEqualTo(1));
        Assert.That(error, Is.Null.Or.InstanceOf<PgException>().With.Property("Code").EqualTo(PgErrorCode.StatementOutdated));
        Database.Restart();
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(7));
        Assert.That(Database.Counted(), Is.EqualTo(1));
    }

    private async Task<string?> Failure(Loss loss, Way way)
    {
        await using var statement = new PlacedStatement(Connection, _reach, way, Executor, $"{++_texts}");
        Database.Restart();
        await statement.WarmUp();
        if (way.Within != Within.OpenTransaction)
            await Lose(loss);
        var transaction = await Begin(way.Within);
        if (way.Within == Within.OpenTransaction)
            await Lose(loss);
        Database.Restart();
        var error = await Outcome(statement.Run);
        var (counted, neighbours) = (Database.Counted(), Database.Neighbours());
        await End(transaction);
        if (Judge(way, error, counted, neighbours) is { } failure)
            return failure;

        Database.Restart();
        error = await Outcome(statement.Run);
        return error is not null || Database.Counted() != 1 ? $"the next run ran {Database.Counted()} times; {error?.Message}" : null;
    }

    private async Task Lose(Loss loss)
    {
        if (loss == Loss.Deallocated)
            await Value("SELECT proof_forget()");
        else
            Database.Run($"ALTER TABLE proof_grown ADD c{++_texts} int");
    }

    private static string? Judge(Way way, Exception? error, int counted, int neighbours)
    {
        var others = way.Before + way.Behind;
        if (error is null)
            return counted == 1 && neighbours == others ? null : $"it ran {counted} times and succeeded; the others ran {neighbours} times";
        if (error is not PgException)
            return $"the caller got: {error.GetType().Name}: {error.Message}";
        if (counted > 1 || neighbours > others)
            return $"it ran {counted} times, the others {neighbours} times; {error.Message}";
        // Nothing of it was executed, so it must be healed.
        return way is { Before: 0, HasBarriers: false, Within: not Within.OpenTransaction } ? $"it was not healed: {error.Message}" : null;
    }
}
