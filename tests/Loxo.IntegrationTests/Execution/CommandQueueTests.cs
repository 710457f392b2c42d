using System.Globalization;
using Loxo.Session;
using Loxo.Tests.Session;

namespace Loxo.IntegrationTests.Execution;

/// <summary>Random commands of several callers on one session, whose results are known from their texts.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class CommandQueueTests(WaitMode mode) : DatabaseTest(mode)
{
    private const int Callers = 6;

    [SetUp]
    public Task MakeTable() => Execute("CREATE TEMP TABLE queued (id int)");

    [Test]
    public Task Every_caller_gets_the_answer_to_its_own_command([Values(1, 2, 3, 4)] int seed, [Values] bool keepsOrder) => Run(seed, keepsOrder);

    [Test, Category("Long"), Category("OneServer")]
    public async Task Every_caller_gets_the_answer_to_its_own_command_hundreds_of_times([Values] bool keepsOrder)
    {
        using var run = LongRun.Begin("queued commands", cases: 4);
        foreach (var seed in run.Seeds(300, "programs"))
        {
            await Execute("TRUNCATE queued");
            await Run(seed, keepsOrder);
        }
    }

    private async Task Run(int seed, bool keepsOrder)
    {
        var commands = QueuedCommands.On(Connection, Mode, keepsOrder, mostCollected: 20_000);
        var inserted = new List<int>[Callers];
        var callers = Enumerable.Range(0, Callers).Select(caller => Task.Factory.StartNew(
            async () => inserted[caller] = await Call(commands, caller, new Random(HashCode.Combine(seed, caller))),
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap()).ToList();
        foreach (var caller in callers)
            await caller;
        await commands.End();
        Assert.That(await Ids(), Is.EquivalentTo(inserted.SelectMany(ids => ids)));
    }

    [Test]
    public async Task A_group_is_one_transaction_and_ends_with_its_first_error([Values(1, 2, 3, 4, 5, 6, 7, 8)] int seed)
    {
        var random = new Random(seed);
        var commands = QueuedCommands.On(Connection, Mode, mostCollected: 20_000);
        var waiting = new List<(Task<List<int>> Reading, CommandExchange Exchange, int[] Values, bool Fails, bool IsSkipped)>();
        var inserted = new List<int>();
        for (var group = 0; group < 60; group++)
        {
            var size = random.Next(1, 6);
            var failing = random.Next(3) == 0 ? random.Next(size) : size;
            for (var i = 0; i < size; i++)
            {
                var id = (group * 10) + i;
                var results = random.Next(2) == 0 ? ResultMode.Collect : ResultMode.Rows;
                var isPrepared = i != failing && random.Next(3) == 0;
                // Few texts, so that groups in front, skipped ones too, have parsed most of them.
                var exchange = isPrepared
                    ? commands.AddPrepared($"SELECT {id % 4}", results, endsGroup: i == size - 1)
                    : commands.Add(i == failing ? "SELECT 1 / 0" : $"INSERT INTO queued VALUES ({id}) RETURNING id", results, endsGroup: i == size - 1);
                int[] values = i >= failing ? [] : [isPrepared ? id % 4 : id];
                waiting.Add((commands.Read(exchange), exchange, values, i == failing, i > failing));
                if (failing == size && !isPrepared)
                    inserted.Add(id);
            }
            if (random.Next(4) == 0)
                commands.Queue.Send();
        }
        foreach (var (reading, exchange, values, fails, isSkipped) in waiting)
        {
            if (fails)
                Assert.That((await AssertThrows(reading)).SqlState, Is.EqualTo("22012"));
            else
                Assert.That(await reading, Is.EqualTo(values));
            Assert.That(exchange.Query.SkippedAfter is not null, Is.EqualTo(isSkipped));
        }
        await commands.End();
        Assert.That(await Ids(), Is.EqualTo(inserted));
    }

    [Test]
    public async Task A_killed_session_has_run_what_is_reported_as_run_and_nothing_that_was_not_sent()
    {
        await using var watched = await OpenAnother();
        await Execute("CREATE TABLE IF NOT EXISTS queued_by_killed (id int)");
        await Execute("TRUNCATE queued_by_killed");
        try
        {
            var commands = QueuedCommands.On(watched, Mode);
            var queued = Enumerable.Range(0, 2000).Select(id => commands.Add($"INSERT INTO queued_by_killed VALUES ({id})")).ToList();
            var reading = queued.ConvertAll(exchange => commands.Read(exchange));
            await reading[500];
            await Execute($"SELECT pg_terminate_backend({watched.Session!.ProcessId})");
            var done = new HashSet<int>();
            var possible = new HashSet<int>();
            for (var id = 0; id < queued.Count; id++)
            {
                try
                {
                    await reading[id];
                    done.Add(id);
                }
                catch (PgException) when (queued[id].MayHaveRun == true)
                {
                    possible.Add(id);
                }
                catch (PgException)
                {
                    Assert.That(queued[id].MayHaveRun, Is.False);
                }
            }
            var ids = (await Rows("SELECT id FROM queued_by_killed")).Select(row => (int)row[0]!).ToHashSet();
            Assert.That(done, Is.SubsetOf(ids), "reported as run");
            Assert.That(ids, Is.SubsetOf(done.Union(possible)), "run");
        }
        finally
        {
            await Execute("DROP TABLE queued_by_killed");
        }
    }

    private async Task<List<int>> Call(QueuedCommands commands, int caller, Random random)
    {
        var inserted = new List<int>();
        var open = new List<Task>();
        for (var i = 0; i < 50; i++)
        {
            var id = (caller * 1000) + i;
            var rows = random.Next(4) == 0 ? random.Next(2000) : random.Next(4);
            // A caller that reads several at once must let the server go on with the others.
            var results = open.Count > 0 || random.Next(2) == 0 ? ResultMode.Collect : ResultMode.Rows;
            switch (random.Next(7))
            {
                case 0:
                    open.Add(AssertReads(commands.Read(commands.Add($"SELECT i FROM generate_series(1, {rows}) i", results)), Enumerable.Range(1, rows)));
                    break;
                case 1:
                    open.Add(AssertReads(commands.Read(commands.AddPrepared($"SELECT i + {rows % 3} FROM generate_series(1, 3) i", results)), Enumerable.Range(1 + (rows % 3), 3)));
                    break;
                case 2:
                    open.Add(AssertReads(commands.Read(commands.Add($"SELECT length(x), x FROM repeat('x', {rows * 50}) x", results)), [rows * 50]));
                    break;
                case 3:
                    open.Add(AssertFails(commands.Read(commands.Add("SELECT i / (i - 5) FROM generate_series(1, 10) i", results)), "22012"));
                    break;
                case 4:
                    open.Add(AssertFails(commands.Read(commands.AddPrepared($"SELECT nowhere_{rows}", results)), "42703"));
                    break;
                case 5:
                    open.Add(AssertReads(commands.Read(commands.Add("SELECT 1 FROM pg_sleep(0.001)", results)), [1]));
                    break;
                default:
                    inserted.Add(id);
                    open.Add(AssertReads(commands.Read(commands.Add(string.Create(CultureInfo.InvariantCulture, $"INSERT INTO queued VALUES ({id})"), results)), []));
                    break;
            }
            if (random.Next(3) == 0)
                commands.Queue.Send();
            if (results == ResultMode.Rows || open.Count > random.Next(10))
            {
                foreach (var each in open)
                    await each;
                open.Clear();
            }
        }
        foreach (var each in open)
            await each;
        return inserted;
    }

    private static async Task AssertReads(Task<List<int>> reading, IEnumerable<int> expected) => Assert.That(await reading, Is.EqualTo(expected));

    private static async Task AssertFails(Task reading, string sqlState) => Assert.That((await AssertThrows(reading)).SqlState, Is.EqualTo(sqlState));

    private static async Task<PostgresException> AssertThrows(Task reading)
    {
        try
        {
            await reading;
        }
        catch (PostgresException e)
        {
            return e;
        }
        throw new AssertionException("The command did not fail.");
    }

    private async Task<List<int>> Ids() => (await Rows("SELECT id FROM queued ORDER BY id")).ConvertAll(row => (int)row[0]!);
}
