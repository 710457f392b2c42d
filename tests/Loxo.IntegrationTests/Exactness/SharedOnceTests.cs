namespace Loxo.IntegrationTests.Exactness;

/// <summary>How a statement shares a session's exchanges with others.</summary>
public enum Sharing
{
    FirstInPipeline,
    MiddleOfPipeline,
    BetweenSyncsOfPipeline,
    ExecuteMany,
    Lane,
    LaneAmongOthers,
    LaneThatGroupsChanges,
}

/// <summary>
/// A statement whose own code raises an error runs once, also where it shares a session with other commands: in pipelines, with ExecuteMany
/// and in lanes. A counter that no rollback reaches says how often it ran.
/// </summary>
[TestFixture(WaitMode.Blocking, Counter.Sequence), TestFixture(WaitMode.Async, Counter.Sequence)]
[TestFixture(WaitMode.Blocking, Counter.Dblink), TestFixture(WaitMode.Async, Counter.Dblink)]
[Category("OneServer")]
public class SharedOnceTests(WaitMode mode, Counter counter) : ProofTest(mode, counter)
{
    private const int Others = 4;

    private static readonly Reach[] Reaches = [.. Reach.All.Where(reach => !reach.IsAutocommitOnly)];

    private readonly Counter _counter = counter;
    private PgDataSource _lanes = null!;
    private PgDataSource _groupingLanes = null!;
    private int _texts;

    private static IEnumerable<ErrorSource> Sources => ErrorSource.All;

    [SetUp]
    public void OpenLanes()
    {
        _lanes = new PgDataSourceBuilder(Database.ConnectionString + ";Multiplexing=true").Build();
        _groupingLanes = new PgDataSourceBuilder(Database.ConnectionString)
            .UseLanes(options => (options.GroupQueries, options.GroupChanges) = (true, true)).Build();
    }

    [TearDown]
    public async Task CloseLanes()
    {
        await _lanes.DisposeAsync();
        await _groupingLanes.DisposeAsync();
    }

    [TestCaseSource(nameof(Sources))]
    public async Task A_statement_that_raises_ran_once_and_its_error_is_the_callers(ErrorSource source)
    {
        var failures = new List<string>();
        var runs = 0;
        var random = new Random(source.Name.Aggregate(source.Message.Length, static (seed, c) => unchecked((31 * seed) + c)));
        foreach (var sharing in Enum.GetValues<Sharing>())
        {
            foreach (var uses in new[] { 0, 3 })
            {
                foreach (var reach in random.GetItems(Reaches, _counter == Counter.Sequence ? 2 : 1))
                {
                    if (!IsPossible(sharing, reach))
                        continue;
                    runs++;
                    if (await Failure(source, sharing, uses, reach) is not { } failure)
                        continue;
                    failures.Add($"{reach}, {sharing} after {uses} runs: {failure}");
                    await Reopen();
                }
            }
        }
        AssertNone(failures, runs);
    }

    // Null if all is well.
    private async Task<string?> Failure(ErrorSource source, Sharing sharing, int uses, Reach reach)
    {
        var text = $"{reach.Text} /* {++_texts} */";
        Database.Restart();
        for (var use = 0; use < uses; use++)
        {
            if (await Outcome(() => Run(sharing, reach, text)) is { } early)
                return $"did not even work: {early.Message}";
        }
        Database.Restart(source);
        var error = First(await Outcome(() => Run(sharing, reach, text)));
        var (counted, neighbours) = (Database.Counted(), Database.Neighbours());
        var expected = sharing switch
        {
            Sharing.MiddleOfPipeline => 1,
            Sharing.BetweenSyncsOfPipeline => 2,
            Sharing.LaneAmongOthers => Others,
            _ => 0,
        };
        if (counted != 1)
            return $"it ran {counted} times; {error?.Message}";
        // A group that was undone is sent again, and a sequence keeps its value.
        if (sharing == Sharing.LaneThatGroupsChanges ? neighbours < Others : neighbours != expected)
            return $"{neighbours} of the others ran instead of {expected}; {error?.Message}";
        if (error is not PostgresException own || own.SqlState != source.SqlState || !own.MessageText.StartsWith(source.Message, StringComparison.Ordinal))
            return $"the caller got: {error?.GetType().Name ?? "no error"}: {error?.Message}";
        if (source.Body?.Contains("DEALLOCATE", StringComparison.Ordinal) == true)
            await Value("DEALLOCATE ALL");
        return Equals(await Value("SELECT 42"), 42) && Equals(await InLane(_lanes, "SELECT 42"), 42) ? null : "the connection is not usable";
    }

    // ExecuteMany takes no COPY. What acts outside of its transaction joins no group, except that it advances a sequence. A type is looked up by another session in the middle of a group, where functions in front of it may have
    // changed what its name means.
    private bool IsPossible(Sharing sharing, Reach reach) => sharing switch
    {
        Sharing.ExecuteMany => !reach.Text.StartsWith("COPY", StringComparison.Ordinal),
        Sharing.MiddleOfPipeline => reach.ParameterType is null,
        Sharing.LaneThatGroupsChanges => _counter == Counter.Dblink,
        _ => true,
    };

    private Task Run(Sharing sharing, Reach reach, string text) => sharing switch
    {
        Sharing.ExecuteMany => ExecuteMany(reach, text),
        Sharing.Lane => InLane(_lanes, text, reach),
        Sharing.LaneAmongOthers => AmongOthers(_lanes, reach, text),
        Sharing.LaneThatGroupsChanges => AmongOthers(_groupingLanes, reach, text),
        _ => InPipeline(sharing, reach, text),
    };

    private async Task InPipeline(Sharing sharing, Reach reach, string text)
    {
        await using var command = new PgCommand(text, Connection);
        reach.AddParameter(command.Parameters);
        await using var pipeline = Connection.CreatePipeline();
        var before = sharing == Sharing.FirstInPipeline ? null : pipeline.AddNonQuery(Neighbour());
        if (sharing == Sharing.BetweenSyncsOfPipeline)
            pipeline.Sync();
        var result = pipeline.AddScalar(command);
        if (sharing == Sharing.BetweenSyncsOfPipeline)
            pipeline.Sync();
        var behind = pipeline.AddNonQuery(Neighbour());
        if (before is not null)
            await Mode.Run(before.Wait, () => before.WaitAsync());
        var error = await Outcome(() => Mode.Run(result.Wait, () => result.WaitAsync()));
        var last = await Outcome(() => Mode.Run(behind.Wait, () => behind.WaitAsync()));
        if (error is not null)
            throw error;
        if (last is not null)
            throw last;
    }

    private async Task ExecuteMany(Reach reach, string text)
    {
        await using var command = new PgCommand(text, Connection);
        reach.AddParameter(command.Parameters);
        int[] rows = [7];
        await Mode.Run(() => command.ExecuteMany(rows, Bind), () => command.ExecuteManyAsync(rows, Bind));

        static void Bind(int row, PgParameterCollection parameters)
        {
            if (parameters.Count > 0)
                parameters[0].Value = row;
        }
    }

    private async Task<object?> InLane(PgDataSource lanes, string text, Reach? reach = null)
    {
        await using var command = lanes.CreateCommand(text);
        reach?.AddParameter(command.Parameters);
        return await Mode.ExecuteScalar(command);
    }

    private async Task AmongOthers(PgDataSource lanes, Reach reach, string text)
    {
        var others = Enumerable.Range(0, Others).Select(_ => Task.Run(() => InLane(lanes, "SELECT proof_neighbour()"))).ToArray();
        var error = await Outcome(() => InLane(lanes, text, reach));
        await Task.WhenAll(others);
        if (error is not null)
            throw error;
    }

    private PgCommand Neighbour() => new("SELECT proof_neighbour()", Connection) { AutoPrepare = false };
}
