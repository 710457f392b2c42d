namespace Loxo.IntegrationTests.Exactness;

/// <summary>
/// A statement whose own code raises an error runs once, and the caller gets that error, whatever its SQLSTATE and wherever the statement
/// stands. A counter that no rollback reaches says how often it ran.
/// </summary>
[TestFixture(WaitMode.Blocking, Counter.Sequence), TestFixture(WaitMode.Async, Counter.Sequence)]
[TestFixture(WaitMode.Blocking, Counter.Dblink), TestFixture(WaitMode.Async, Counter.Dblink)]
[Category("OneServer")]
public class ExecutedOnceTests(WaitMode mode, Counter counter) : ProofTest(mode, counter)
{
    private readonly Counter _counter = counter;
    private int _texts;

    private static IEnumerable<ErrorSource> Sources => ErrorSource.All;

    [TestCaseSource(nameof(Sources))]
    public async Task A_statement_that_raises_ran_once_and_its_error_is_the_callers(ErrorSource source) =>
        await RunAll(source, Sample(source, _counter == Counter.Sequence ? 70 : 15));

    [TestCaseSource(nameof(Sources)), Category("Long")]
    public async Task A_statement_that_raises_ran_once_in_every_way(ErrorSource source)
    {
        using var run = LongRun.Begin("failing statements", cases: 4 * ErrorSource.All.Count());
        await RunAll(source, run.Of(Everything(source), "ways"));
    }

    /// <summary>No SQLSTATE is news about the statement itself, those that the driver looks at included.</summary>
    [Test]
    public async Task A_statement_that_raises_any_SQLSTATE_ran_once([Range(0, 3)] int part)
    {
        // Success, warnings and the absence of data are no errors.
        var states = typeof(SqlStates).GetFields().Select(field => (string)field.GetRawConstantValue()!)
            .Where(state => string.CompareOrdinal(state, "03") > 0).Order(StringComparer.Ordinal).ToArray();
        Assert.That(states, Has.Length.GreaterThan(200));
        foreach (var state in states.Where((_, i) => i % 4 == part))
        {
            var source = new ErrorSource(state, state, "raised by the statement");
            Database.Add(source);
            await RunAll(source, Sample(source, _counter == Counter.Sequence ? 3 : 1));
        }
    }

    /// <summary>
    /// The planner, while it answers Bind, calls one function that counts and then another, of the server's own, that raises without a line
    /// of CONTEXT: neither the place of the error nor its context tells that something ran.
    /// </summary>
    [Test]
    public async Task A_statement_whose_planning_counts_and_then_fails_ran_once()
    {
        var reach = new Reach("planning", "SELECT proof_counts($1) FROM proof_one WHERE id::text <> array_in('{1}', proof_element(), -1)::text");
        var source = ErrorSource.All.Single(each => each.Name == "array_in of an unknown type");
        await RunAll(source, from way in Affordable(Way.All) where IsPossible(source, reach, way) select (reach, way));
    }

    private async Task RunAll(ErrorSource source, IEnumerable<(Reach Reach, Way Way)> cases)
    {
        var failures = new List<string>();
        var runs = 0;
        foreach (var (reach, way) in cases)
        {
            runs++;
            if (await Failure(source, reach, way) is not { } failure)
                continue;
            failures.Add($"{reach}, {way}: {failure}");
            await Reopen();
        }
        AssertNone(failures, runs);
    }

    // Null if all is well. The second run meets what the first has left in the driver's memory.
    private async Task<string?> Failure(ErrorSource source, Reach reach, Way way)
    {
        Database.Restart();
        await using var statement = new PlacedStatement(Connection, reach, way, Executor, $"{source.SqlState} {++_texts}");
        try
        {
            await statement.WarmUp();
        }
        catch (Exception error)
        {
            return $"did not even work: {error.Message}";
        }
        return await FailureOnce(source, way, statement) ?? await FailureOnce(source, way, statement);
    }

    private async Task<string?> FailureOnce(ErrorSource source, Way way, PlacedStatement statement)
    {
        Database.Restart(source);
        var transaction = await Begin(way.Within);
        var error = First(await Outcome(statement.Run));
        var (counted, neighbours) = (Database.Counted(), Database.Neighbours());
        if (counted != 1)
            return $"it ran {counted} times; {error?.Message}";
        if (neighbours != way.NeighboursOfAFailure)
            return $"{neighbours} of the others ran instead of {way.NeighboursOfAFailure}; {error?.Message}";
        if (error is not PostgresException own || own.SqlState != source.SqlState || !own.MessageText.StartsWith(source.Message, StringComparison.Ordinal))
            return $"the caller got: {error?.GetType().Name ?? "no error"}: {error?.Message}";
        await End(transaction);
        // The driver understands this one, so that nothing counts as forgotten behind its back.
        if (Deallocates(source))
            await Value("DEALLOCATE ALL");
        return Equals(await Value("SELECT 42"), 42) ? null : "the connection is not usable";
    }

    private static IEnumerable<(Reach Reach, Way Way)> Everything(ErrorSource source) =>
        from reach in Reach.All
        from way in Way.All
        where IsPossible(source, reach, way)
        select (reach, way);

    // Each reach as often as any other; the ways by chance, the same in every run.
    private static IEnumerable<(Reach Reach, Way Way)> Sample(ErrorSource source, int count)
    {
        var random = new Random(source.Name.Aggregate(source.Message.Length, static (seed, c) => unchecked((31 * seed) + c)));
        Way[] ways = [.. Way.All];
        for (var i = 0; i < count;)
        {
            var pair = (Reach: Reach.All[i % Reach.All.Length], Way: ways[random.Next(ways.Length)]);
            if (pair.Reach.IsAutocommitOnly)
                pair.Way = pair.Way with { Place = Place.Alone, Within = Within.Autocommit };
            if (IsPossible(source, pair.Reach, pair.Way))
            {
                i++;
                yield return pair;
            }
        }
    }

    private static bool Deallocates(ErrorSource source) => source.Body?.Contains("DEALLOCATE", StringComparison.Ordinal) == true;

    private static bool IsPossible(ErrorSource source, Reach reach, Way way)
    {
        // Several statements in one text take no positional parameters.
        if (reach.HasParameter && !way.IsBatch && way.Place != Place.Alone)
            return false;
        // A statement that deallocates the driver's own makes the next one behind a barrier fail by itself.
        if (Deallocates(source) && way.HasBarriers)
            return false;
        return !reach.IsAutocommitOnly || way is { Place: Place.Alone, Within: Within.Autocommit };
    }
}
