namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>A statement that runs in lanes is prepared in the session of each of them: it counts itself there.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class PreparedLaneTests(WaitMode mode) : LaneTest(mode)
{
    private const int Runs = 4;

    private string _table = null!;

    [SetUp]
    public async Task CreateTable()
    {
        _table = "prepared_" + Guid.NewGuid().ToString("N")[..12];
        await Execute($"CREATE TABLE {_table} (id int)");
    }

    [TearDown]
    public Task DropTable() => Execute($"DROP TABLE {_table}");

    [Test]
    public async Task A_text_is_prepared_with_its_second_run_in_each_lane([Values] bool reads)
    {
        await using var source = new PgDataSourceBuilder(Source.ConnectionString)
            .UseLanes(static lanes => (lanes.Minimum, lanes.Maximum) = (2, 4)).Build();
        for (var end = DateTime.UtcNow.AddMinutes(1); source.GetLaneStatistics()! is not { QueryLanes: 2, MixedLanes: 2 };)
        {
            Assert.That(DateTime.UtcNow, Is.LessThan(end), "No lane has been opened.");
            await Run(source, "SELECT 1");
            await Run(source, $"INSERT INTO {_table} VALUES (0)");
            await Task.Delay(10);
        }
        // Fast commands use no more lanes than there are processors.
        var lanes = Math.Min(2, source.Lanes!.Processors);

        Dictionary<int, List<long>> counts;
        do
            counts = await CountInLanes(source, lanes, reads);
        while (counts.Count < lanes);

        foreach (var (process, ofLane) in counts)
        {
            Assert.That(ofLane[0], Is.Zero, $"in session {process}");
            Assert.That(ofLane.Skip(1), Is.All.EqualTo(1), $"in session {process}");
        }
    }

    // The number of prepared statements with the text in the session of each lane, for each of its runs there. Empty if the text was slow,
    // and takes sessions of its own for a while.
    private async Task<Dictionary<int, List<long>>> CountInLanes(PgDataSource source, int lanes, bool reads)
    {
        var id = Guid.NewGuid().ToString("N");
        var count = $"pg_backend_pid(), (SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%{id}%')";
        var sql = reads ? $"SELECT {count}" : $"INSERT INTO {_table} VALUES (1) RETURNING {count}";
        var processes = source.GetLaneStatistics()!.Lanes.Select(static lane => lane.ProcessId).ToHashSet();
        var counts = new Dictionary<int, List<long>>();
        // On a session of its own.
        await Count(source, sql);
        while (counts.Count < lanes || counts.Values.Any(static ofLane => ofLane.Count < Runs))
        {
            var (process, prepared) = await Count(source, sql);
            if (!processes.Contains(process))
                return [];
            if (!counts.TryAdd(process, [prepared]))
                counts[process].Add(prepared);
        }
        return counts;
    }

    private async Task<(int Process, long Prepared)> Count(PgDataSource source, string sql)
    {
        await using var command = source.CreateCommand(sql);
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        var counted = (reader.GetInt32(0), reader.GetInt64(1));
        await Mode.Close(reader);
        return counted;
    }
}
