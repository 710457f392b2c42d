using System.Collections.Concurrent;
using System.Data;
using static Loxo.IntegrationTests.DatabaseTest;

namespace Loxo.IntegrationTests.Hosts;

/// <summary>
/// Reads on standbys that show what was written before, however far the standbys are behind. Replay is paused and resumed by the tests, and
/// the row itself tells what was read.
/// </summary>
[Category("Slow")]
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public class FreshnessTests(WaitMode mode)
{
    private readonly int _id = mode == WaitMode.Blocking ? 1 : 2;
    private Cluster _cluster = null!;
    private PgMultiHostDataSource _source = null!;
    private int _value;

    [OneTimeSetUp]
    public async Task Start()
    {
        _cluster = await Cluster.StartAsync();
        await Cluster.Run(_cluster.Primary.Port, "CREATE TABLE counter (id int PRIMARY KEY, value int)", "INSERT INTO counter VALUES (1, 0), (2, 0)");
    }

    [OneTimeTearDown]
    public async Task Stop() => await _cluster.DisposeAsync();

    [SetUp]
    public void Make() => _source = Build();

    [TearDown]
    public async Task Dispose()
    {
        await Resume(_cluster.First.Port);
        await Resume(_cluster.Second.Port);
        await _source.DisposeAsync();
    }

    [Test]
    public async Task A_read_after_a_write_sees_it_on_whatever_host_and_with_whatever_delay()
    {
        using var stop = new CancellationTokenSource();
        var disturbing = Task.WhenAll(Disturb(_cluster.First.Port, 1, stop.Token), Disturb(_cluster.Second.Port, 2, stop.Token));
        var ports = new ConcurrentDictionary<int, int>();
        for (var i = 0; i < 150; i++)
        {
            await Write();
            var target = i % 3 == 0 ? TargetSessionAttributes.Standby : TargetSessionAttributes.PreferStandby;
            var read = await Read(_source.WithTargetSession(target, PgFreshness.After(await Position())));
            Assert.That(read.Value, Is.EqualTo(_value), $"on port {read.Port}");
            ports.AddOrUpdate(read.Port, 1, static (_, count) => count + 1);
        }
        await stop.CancelAsync();
        await disturbing;
        TestContext.Out.WriteLine(string.Join(", ", ports.Select(pair => $"{pair.Value} on {(pair.Key == _cluster.Primary.Port ? "the primary" : "a standby")}")));
        Assert.That(ports.Keys.Except([_cluster.Primary.Port]), Is.Not.Empty);
    }

    [Test]
    public async Task Where_all_standbys_are_behind_the_primary_serves_if_it_may()
    {
        await PauseBoth();
        await Write();
        var position = await Position();
        Assert.That((await Read(_source.WithTargetSession(TargetSessionAttributes.PreferStandby))).Value, Is.Not.EqualTo(_value), "the standbys are behind");

        Assert.That(await Read(_source.WithTargetSession(TargetSessionAttributes.PreferStandby, PgFreshness.After(position))),
            Is.EqualTo((_value, _cluster.Primary.Port)));
        Assert.That((await Read(_source.WithTargetSession(TargetSessionAttributes.Any, PgFreshness.After(position)))).Value, Is.EqualTo(_value));
    }

    [Test]
    public async Task Where_only_standbys_serve_the_first_that_has_caught_up_is_waited_for()
    {
        await PauseBoth();
        await Write();
        var position = await Position();
        var reading = Start(() => Read(_source.WithTargetSession(TargetSessionAttributes.Standby, PgFreshness.After(position))));
        await Task.WhenAny(reading, Task.Delay(300));
        Assert.That(reading.IsCompleted, Is.False);

        await Resume(_cluster.Second.Port);

        Assert.That(await reading.WaitAsync(TimeSpan.FromMinutes(2)), Is.EqualTo((_value, _cluster.Second.Port)));
    }

    [Test]
    public async Task Where_no_standby_catches_up_the_error_says_how_far_each_has_come()
    {
        await PauseBoth();
        await Write();
        var position = await Position();
        await using var source = Build(";Timeout=2");

        var error = await Catch<PgException>(() => Read(source.WithTargetSession(TargetSessionAttributes.Standby, PgFreshness.After(position))));

        Assert.That((error.Code, error.IsTransient), Is.EqualTo((PgErrorCode.NoSuitableHost, true)));
        Assert.That(error.Message, Does.Contain($"up to {position}").And.Contain($":{_cluster.First.Port}: ").And.Contain("that has replayed up to "));
        await Resume(_cluster.First.Port);
        Assert.That((await Read(source.WithTargetSession(TargetSessionAttributes.Standby, PgFreshness.After(position)))).Value, Is.EqualTo(_value));
    }

    [Test]
    public async Task A_read_within_a_time_is_never_older_and_asks_the_primary_no_more_often()
    {
        var hour = PgFreshness.Within(TimeSpan.FromHours(1));
        await Write();
        var before = _value;
        Assert.That((await Read(_source.WithTargetSession(TargetSessionAttributes.Standby, hour))).Value, Is.EqualTo(before));
        await PauseBoth();
        await Write();

        Assert.That((await Read(_source.WithTargetSession(TargetSessionAttributes.Standby, hour))).Value, Is.EqualTo(before), "within an hour");
        Assert.That(await Read(_source.WithTargetSession(TargetSessionAttributes.PreferStandby, PgFreshness.Within(TimeSpan.Zero))),
            Is.EqualTo((_value, _cluster.Primary.Port)));
        await Resume(_cluster.First.Port);
        Assert.That(await Read(_source.WithTargetSession(TargetSessionAttributes.Standby, PgFreshness.Within(TimeSpan.Zero))),
            Is.EqualTo((_value, _cluster.First.Port)));
    }

    [Test]
    public async Task A_position_at_the_beginning_of_a_page_or_segment_and_of_commits_that_are_not_flushed_is_reached()
    {
        for (var i = 0; i < 5; i++)
        {
            await Cluster.Run(_cluster.Primary.Port, "SELECT pg_switch_wal()");
            Assert.That((await Read(_source.WithTargetSession(TargetSessionAttributes.Standby, PgFreshness.After(await Position())))).Value, Is.EqualTo(_value));
            await Write("SET LOCAL synchronous_commit = off");
            Assert.That((await Read(_source.WithTargetSession(TargetSessionAttributes.Standby, PgFreshness.After(await Position())))).Value, Is.EqualTo(_value));
        }
    }

    [Test]
    public async Task A_command_and_a_batch_choose_their_own_host()
    {
        await Write();
        var fresh = PgFreshness.After(await Position());
        await using var command = _source.CreateCommand("SELECT inet_server_port()");
        Assert.That(await mode.ExecuteScalar(command), Is.EqualTo(_cluster.Primary.Port), "the first host");
        command.TargetSession = TargetSessionAttributes.Standby;
        command.Freshness = fresh;
        Assert.That(await mode.ExecuteScalar(command), Is.AnyOf(_cluster.First.Port, _cluster.Second.Port));
        Assert.That((command.TargetSession, command.Freshness), Is.EqualTo((TargetSessionAttributes.Standby, fresh)));
        await using var clone = command.Clone();
        command.TargetSession = TargetSessionAttributes.ReadWrite;
        Assert.That(await mode.ExecuteScalar(command), Is.EqualTo(_cluster.Primary.Port));
        Assert.That(await mode.ExecuteScalar(clone), Is.Not.EqualTo(_cluster.Primary.Port));

        await using var batch = _source.CreateBatch();
        batch.BatchCommands.Add(new PgBatchCommand("SELECT inet_server_port()"));
        (batch.TargetSession, batch.Freshness) = (TargetSessionAttributes.Standby, fresh);
        Assert.That(await mode.Run(batch.ExecuteScalar, () => batch.ExecuteScalarAsync()), Is.Not.EqualTo(_cluster.Primary.Port));
        await using (var reader = await mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync()))
            Assert.That(await mode.Read(reader), Is.True);
        Assert.That((batch.TargetSession, batch.Freshness), Is.EqualTo((TargetSessionAttributes.Standby, fresh)));
    }

    [Test]
    public async Task A_read_only_transaction_runs_on_a_standby_that_has_the_write_and_a_retry_too()
    {
        await Write();
        var reading = _source.WithTargetSession(TargetSessionAttributes.Standby, PgFreshness.After(await Position()));
        var options = new PgInTransactionOptions { IsolationLevel = IsolationLevel.RepeatableRead, Options = PgTransactionOptions.ReadOnly, Attempts = 3 };
        var attempts = 0;
        var read = mode == WaitMode.Blocking
            ? reading.InTransaction((connection, _) => Work(connection).GetAwaiter().GetResult(), options)
            : await reading.InTransactionAsync((connection, _, _) => Work(connection), options);

        Assert.That((read.Value, attempts), Is.EqualTo((_value, 2)));
        Assert.That(read.Port, Is.Not.EqualTo(_cluster.Primary.Port));

        async Task<(int Value, int Port)> Work(PgConnection connection)
        {
            if (++attempts == 1)
                throw new PgException("as a standby says", PgErrorCode.Unspecified, await Catch<PostgresException>(() => mode.ExecuteNonQuery(
                    new PgCommand("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$", connection))));
            return await Read(connection);
        }
    }

    [Test]
    public async Task What_has_no_choice_of_hosts_says_so()
    {
        await using var plain = PgDataSource.Create(Cluster.Of(_cluster.Primary.Port));
        await using var command = plain.CreateCommand("SELECT 1");
        await using var connection = _source.CreateConnection();
        await using var other = new PgCommand("SELECT 1", connection);
        foreach (var one in new[] { command, other })
        {
            Assert.That(() => one.TargetSession = TargetSessionAttributes.Standby, Throws.InvalidOperationException.With.Message.Contains("BuildMultiHost"));
            Assert.That(() => one.Freshness = PgFreshness.Within(TimeSpan.Zero), Throws.InvalidOperationException.With.Message.Contains("BuildMultiHost"));
            Assert.That((one.TargetSession, one.Freshness), Is.EqualTo((TargetSessionAttributes.Any, default(PgFreshness))));
        }
        Assert.That(await mode.ExecuteScalar(command), Is.EqualTo(1));
        await using var single = new PgDataSourceBuilder(Cluster.Of(_cluster.Primary.Port)).BuildMultiHost();
        Assert.That((await Read(single.WithTargetSession(TargetSessionAttributes.PreferStandby, PgFreshness.Within(TimeSpan.Zero)))).Port,
            Is.EqualTo(_cluster.Primary.Port));

        var view = _source.WithTargetSession(TargetSessionAttributes.Standby, PgFreshness.Within(TimeSpan.Zero));
        await _source.DisposeAsync();
        await Catch<ObjectDisposedException>(() => Read(view));
    }

    [Test]
    public async Task Without_a_primary_a_position_is_served_and_a_time_is_not()
    {
        await Write();
        var position = await Position();
        await using var standbys = Build(";Timeout=3", _cluster.First.Port, _cluster.Second.Port);

        Assert.That((await Read(standbys.WithTargetSession(TargetSessionAttributes.PreferStandby, PgFreshness.After(position)))).Value, Is.EqualTo(_value));
        var error = await Catch<PgException>(() => Read(standbys.WithTargetSession(TargetSessionAttributes.PreferStandby, PgFreshness.Within(TimeSpan.FromSeconds(1)))));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.NoSuitableHost));
        Assert.That((await Catch<PgException>(() => mode.Run(() => _ = standbys.GetWritePosition(), () => standbys.GetWritePositionAsync().AsTask()))).Code,
            Is.EqualTo(PgErrorCode.NoSuitableHost));
    }

    private PgMultiHostDataSource Build(string more = "", params int[] ports) => new PgDataSourceBuilder(
        Cluster.Of(ports.Length == 0 ? _cluster.Ports : ports) + ";Maximum Pool Size=4" + more).BuildMultiHost();

    private async Task Write(string first = "SELECT 1")
    {
        await using var connection = _source.CreateConnection(TargetSessionAttributes.ReadWrite);
        await mode.Open(connection);
        await using var transaction = connection.BeginTransaction();
        await mode.ExecuteNonQuery(new PgCommand(first, connection));
        await mode.ExecuteNonQuery(new PgCommand($"UPDATE counter SET value = {++_value} WHERE id = {_id}", connection));
        await mode.Commit(transaction);
    }

    private Task<PgLogSequenceNumber> Position() =>
        mode.Run(() => _source.GetWritePosition(), () => _source.GetWritePositionAsync().AsTask());

    private async Task<(int Value, int Port)> Read(PgDataSource source)
    {
        await using var connection = source.CreateConnection();
        await mode.Open(connection);
        return await Read(connection);
    }

    private async Task<(int Value, int Port)> Read(PgConnection connection)
    {
        await using var command = new PgCommand($"SELECT value FROM counter WHERE id = {_id}", connection);
        return ((int)(await mode.ExecuteScalar(command))!, connection.Port);
    }

    private Task<T> Start<T>(Func<Task<T>> call) => mode == WaitMode.Async
        ? call()
        : Task.Factory.StartNew(call, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap();

    private async Task PauseBoth()
    {
        // What was written before is there.
        foreach (var port in new[] { _cluster.First.Port, _cluster.Second.Port })
        {
            await Cluster.Until(port, $"SELECT value = {_value} FROM counter WHERE id = {_id}");
            await Cluster.Run(port, "SELECT pg_wal_replay_pause()");
            await Cluster.Until(port, "SELECT pg_get_wal_replay_pause_state() = 'paused'");
        }
    }

    private static Task Resume(int port) => Cluster.Run(port, "SELECT pg_wal_replay_resume()");

    // Pauses and resumes at random.
    private static async Task Disturb(int port, int seed, CancellationToken stop)
    {
        var random = new Random(seed);
        while (!stop.IsCancellationRequested)
        {
            await Cluster.Run(port, "SELECT pg_wal_replay_pause()");
            await Task.Delay(random.Next(40), CancellationToken.None);
            await Cluster.Run(port, "SELECT pg_wal_replay_resume()");
            await Task.Delay(random.Next(60), CancellationToken.None);
        }
    }
}
