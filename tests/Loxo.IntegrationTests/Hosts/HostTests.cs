using System.Net;
using System.Net.Sockets;
using System.Transactions;
using Loxo.IntegrationTests.Chaos;
using Npgsql;
using static Loxo.IntegrationTests.DatabaseTest;

namespace Loxo.IntegrationTests.Hosts;

/// <summary>Several hosts of which each serves as it is: a primary and two standbys, ports where nothing listens, and those that never answer.</summary>
[Category("Slow")]
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public class HostTests(WaitMode mode)
{
    private Cluster _cluster = null!;
    private int _closed;

    private static IEnumerable<object?[]> Targets =>
        from target in Enum.GetValues<TargetSessionAttributes>()
        from order in new[] { "P12", "1P2", "12P", "xP1", "x1P", "1x2", "P" }
        select new object?[] { target, order };

    [OneTimeSetUp]
    public async Task Start()
    {
        _cluster = await SharedCluster.Get();
        var socket = new TcpListener(IPAddress.Loopback, 0);
        socket.Start();
        _closed = ((IPEndPoint)socket.LocalEndpoint).Port;
        socket.Stop();
    }

    [TestCaseSource(nameof(Targets))]
    public async Task A_target_is_served_by_the_host_that_Npgsql_would_take(TargetSessionAttributes target, string order)
    {
        var text = Cluster.Of(Ports(order)) + ";Pooling=false";
        await using var theirs = new NpgsqlDataSourceBuilder(text).BuildMultiHost();
        var expected = TheirPortOf(theirs, target);
        var port = await FirstPortOf(text, target, expected);

        Assert.That(port, Is.EqualTo(expected));
        if (port is { } one)
            Assert.That(Fits(target, await Cluster.Ask<bool>(one, "SELECT pg_is_in_recovery()")), Is.True);
    }

    [Test]
    public async Task A_primary_that_takes_no_writes_is_read_only()
    {
        await Cluster.Run(_cluster.Primary.Port, "ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()");
        try
        {
            await Cluster.Until(_cluster.Primary.Port, "SELECT current_setting('default_transaction_read_only') = 'on'");
            var text = Cluster.Of(_cluster.Ports) + ";Pooling=false";
            await using var theirs = new NpgsqlDataSourceBuilder(text).BuildMultiHost();
            foreach (var target in Enum.GetValues<TargetSessionAttributes>())
            {
                var expected = TheirPortOf(theirs, target);
                Assert.That(await FirstPortOf(text, target, expected), Is.EqualTo(expected), $"{target}");
            }
            await using var ours = new PgDataSourceBuilder(text).BuildMultiHost();
            Assert.That((await ours.CheckHostsAsync())[0].Role, Is.EqualTo(PgHostRole.ReadOnlyPrimary));
        }
        finally
        {
            await Cluster.Run(_cluster.Primary.Port, "SET default_transaction_read_only = off",
                "ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_reload_conf()");
            await Cluster.Until(_cluster.Primary.Port, "SELECT current_setting('default_transaction_read_only') = 'off'");
        }
    }

    [Test]
    public async Task A_refused_write_brings_the_host_into_doubt_and_it_is_asked_before_it_is_used_again()
    {
        await using var source = new PgDataSourceBuilder(Cluster.Of(_cluster.Ports)).BuildMultiHost();
        await using var connection = source.CreateConnection(TargetSessionAttributes.ReadWrite);
        await mode.Open(connection);
        await using (var command = new PgCommand("SET default_transaction_read_only = on", connection))
            await mode.ExecuteNonQuery(command);
        await using (var other = source.CreateConnection(TargetSessionAttributes.ReadWrite))
            await mode.Open(other);
        Assert.That(source.GetHosts()[0].IsInDoubt, Is.False);

        await using var write = new PgCommand("CREATE TABLE refused (x int)", connection);
        var error = await Catch<PostgresException>(() => mode.ExecuteNonQuery(write));

        Assert.That(error.SqlState, Is.EqualTo("25006"));
        Assert.That(source.GetHosts()[0].IsInDoubt, Is.True);
        await using var next = source.CreateConnection(TargetSessionAttributes.ReadWrite);
        await mode.Open(next);
        Assert.That((next.Port, source.GetHosts()[0].IsInDoubt), Is.EqualTo((_cluster.Primary.Port, false)));
    }

    [Test]
    public async Task A_lost_connection_takes_no_other_with_it()
    {
        await using var source = new PgDataSourceBuilder(Cluster.Of(_cluster.Ports)).BuildMultiHost();
        var connections = Enumerable.Range(0, 4).Select(_ => source.CreateConnection()).ToList();
        foreach (var connection in connections)
            await mode.Open(connection);
        var processes = connections.ConvertAll(connection => connection.ProcessID);
        await mode.Close(connections[3]);

        await Cluster.Run(_cluster.Primary.Port, $"SELECT pg_terminate_backend({processes[0]})");
        await using (var command = new PgCommand("SELECT pg_sleep(60)", connections[0]))
            await Catch<PgException>(() => mode.ExecuteNonQuery(command));

        Assert.That(source.GetHosts()[0].IsInDoubt, Is.True);
        await using (var command = new PgCommand("SELECT 1", connections[1]))
            Assert.That(await mode.ExecuteScalar(command), Is.EqualTo(1));
        await mode.Open(connections[3]);
        Assert.That((connections[3].Port, connections[3].ProcessID), Is.EqualTo((_cluster.Primary.Port, processes[3])));
        Assert.That(source.GetHosts()[0].IsInDoubt, Is.False);
        foreach (var connection in connections)
            await connection.DisposeAsync();
    }

    // Without a time limit: whoever waits for one host alone waits for ever.
    [Test]
    public async Task A_host_that_never_answers_does_not_keep_others_from_serving()
    {
        using var hole = new BlackHole();
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        var text = Cluster.Of(hole.Port, ((IPEndPoint)silent.LocalEndpoint).Port, _cluster.Primary.Port).Replace("Timeout=60", "Timeout=0", StringComparison.Ordinal);
        await using var source = new PgDataSourceBuilder(text).BuildMultiHost();
        await using var connection = source.CreateConnection(TargetSessionAttributes.Primary);

        await mode.Open(connection);

        Assert.That(connection.Port, Is.EqualTo(_cluster.Primary.Port));
        Assert.That(source.GetHosts().Select(host => host.Failure is null), Is.EqualTo(new[] { false, false, true }));
    }

    [Test]
    public async Task Hosts_that_never_answer_share_one_deadline()
    {
        using var holes = new Holes(5);
        var text = Cluster.Of(holes.Ports).Replace("Timeout=60;", "Timeout=2;", StringComparison.Ordinal);
        await using var source = new PgDataSourceBuilder(text).BuildMultiHost();
        await using var connection = source.CreateConnection();

        var error = await Catch<PgException>(() => mode.Open(connection));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
        Assert.That(((AggregateException)error.InnerException!).InnerExceptions, Has.Count.EqualTo(5));
        foreach (var port in holes.Ports)
            Assert.That(error.Message, Does.Contain($"127.0.0.1:{port}"));
    }

    [TestCase("true"), TestCase("Random"), TestCase("LeastOutstanding")]
    public async Task Opens_are_spread_evenly_over_the_hosts_that_serve(string balance)
    {
        const int Opens = 1000;
        var (opens, wasSlow) = await Spread(balance, Opens);
        for (var i = 0; wasSlow && i < 20; i++)
            (opens, wasSlow) = await Spread(balance, Opens);

        Assert.That(opens.Keys, Is.EquivalentTo(new[] { _cluster.First.Port, _cluster.Second.Port }));
        // At random: eight standard deviations.
        Assert.That(opens.Values, Is.All.InRange(Opens / 2 - (balance == "Random" ? 127 : 1), Opens / 2 + (balance == "Random" ? 127 : 1)));
    }

    // A host that was slow comes last until the next look at it, which is not made meanwhile.
    private async Task<(Dictionary<int, int> Opens, bool WasSlow)> Spread(string balance, int count)
    {
        var keywords = $";Load Balance Hosts={balance};Host Recheck Seconds=300;Target Session Attributes=standby";
        await using var source = new PgDataSourceBuilder(Cluster.Of(Ports("x12P")) + keywords).BuildMultiHost();
        await using (var warm = source.CreateConnection())
            await mode.Open(warm);
        await mode.Run(() => source.WarmUp(1), () => source.WarmUpAsync(1).AsTask());
        var opens = new Dictionary<int, int>();
        for (var i = 0; i < count; i++)
        {
            await using var connection = source.CreateConnection();
            await mode.Open(connection);
            opens[connection.Port] = opens.GetValueOrDefault(connection.Port) + 1;
        }
        return (opens, source.GetHosts().Any(host => host.Port != _closed && host.Failure is not null));
    }

    [Test]
    public async Task The_host_with_the_fewest_connections_in_use_is_next()
    {
        await using var source = new PgDataSourceBuilder(Cluster.Of(Ports("12")) + ";Load Balance Hosts=LeastOutstanding").BuildMultiHost();
        var expected = (3, "the second, the second, the second");
        var seen = await FewestInUse(source);
        for (var i = 0; seen.Result != expected && seen.Slowest >= Loxo.Transport.Staggered.Pause && i < 20; i++)
        {
            // A host that was slow comes last until it has answered.
            for (var j = 0; j < 1200 && source.GetHosts().Any(host => host.Failure is not null); j++)
                await Task.Delay(25);
            seen = await FewestInUse(source);
        }
        Assert.That(seen.Result, Is.EqualTo(expected));
    }

    [Test]
    public async Task A_full_pool_leads_to_the_next_host_and_a_preferred_one_is_waited_for_last()
    {
        await using var source = new PgDataSourceBuilder(Cluster.Of(Ports("12P")) + ";Maximum Pool Size=1;Target Session Attributes=prefer-standby").BuildMultiHost();
        var open = new List<PgConnection>();
        for (var i = 0; i < 3; i++)
        {
            open.Add(source.CreateConnection());
            await mode.Open(open[^1]);
        }

        Assert.That(open.Select(connection => connection.Port), Is.EqualTo(new[] { _cluster.First.Port, _cluster.Second.Port, _cluster.Primary.Port }));
        await using var waiting = source.CreateConnection();
        var opening = Task.Run(() => mode.Open(waiting));
        for (var i = 0; i < 1200 && source.GetHosts()[1].Pool!.Waiting == 0; i++)
            await Task.Delay(25);
        await mode.Close(open[1]);
        await opening.WaitAsync(TimeSpan.FromMinutes(2));
        Assert.That(waiting.Port, Is.EqualTo(_cluster.Second.Port));
        foreach (var connection in open)
            await connection.DisposeAsync();
    }

    [Test]
    public async Task The_error_is_that_of_all_hosts_or_names_each()
    {
        await using var same = new PgDataSourceBuilder(Cluster.Of(Ports("P1")) + ";Database=nowhere").BuildMultiHost();
        var error = await Catch<PgException>(() => Open(same, TargetSessionAttributes.Any));
        Assert.That(error, Is.InstanceOf<PostgresException>().With.Property(nameof(PostgresException.SqlState)).EqualTo("3D000"));

        await using var mixed = new PgDataSourceBuilder(Cluster.Of(Ports("xP")) + ";Database=nowhere").BuildMultiHost();
        error = await Catch<PgException>(() => Open(mixed, TargetSessionAttributes.Any));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.NoSuitableHost));
        Assert.That(((AggregateException)error.InnerException!).InnerExceptions.Select(one => one.Message), Is.EqualTo(new[]
        {
            Contains($"127.0.0.1:{_closed}"), Contains($"127.0.0.1:{_cluster.Primary.Port}"),
        }).Using<string, string>((actual, expected) => actual.StartsWith(expected, StringComparison.Ordinal)));

        await using var none = new PgDataSourceBuilder(Cluster.Of(Ports("12"))).BuildMultiHost();
        error = await Catch<PgException>(() => Open(none, TargetSessionAttributes.Primary));
        Assert.That((error.Code, error.IsTransient, error.InnerException), Is.EqualTo((PgErrorCode.NoSuitableHost, true, (Exception?)null)));
        Assert.That(error.Message, Does.StartWith("No suitable host was found for 'Target Session Attributes=primary'.")
            .And.Match($"127.0.0.1:{_cluster.First.Port}: it said [0-9.]+ s ago that it is a standby")
            .And.Match($"127.0.0.1:{_cluster.Second.Port}: it said [0-9.]+ s ago that it is a standby"));

        static string Contains(string text) => text;
    }

    [Test]
    public async Task Connection_strings_that_differ_in_their_target_share_the_pools()
    {
        var text = Cluster.Of(_cluster.Ports) + $";Application Name=shared{mode}";
        await using var primary = new PgConnection(text + ";Target Session Attributes=read-write");
        await mode.Open(primary);
        var process = primary.ProcessID;
        Assert.That((primary.Port, primary.Host), Is.EqualTo((_cluster.Primary.Port, "127.0.0.1")));
        Assert.That(primary.ConnectionString, Does.Contain("Target Session Attributes=read-write").And.Contain(","));
        await mode.Close(primary);
        await using var any = new PgConnection(text);
        await mode.Open(any);
        await using var standby = new PgConnection(text + ";Target Session Attributes=standby");
        await mode.Open(standby);

        Assert.That((any.Port, any.ProcessID), Is.EqualTo((_cluster.Primary.Port, process)));
        Assert.That(standby.Port, Is.EqualTo(_cluster.First.Port));
        PgConnection.ClearPool(any);
    }

    [Test]
    public async Task A_transaction_goes_on_on_its_host_if_that_still_fits()
    {
        await using var source = new PgDataSourceBuilder(Cluster.Of(_cluster.Ports)).BuildMultiHost();
        using var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled);
        var first = source.CreateConnection(TargetSessionAttributes.ReadWrite);
        await mode.Open(first);
        var process = first.ProcessID;
        await mode.Close(first);
        await using (var again = source.CreateConnection(TargetSessionAttributes.PreferStandby))
        {
            await mode.Open(again);
            Assert.That((again.Port, again.ProcessID), Is.EqualTo((_cluster.Primary.Port, process)));
            await using var command = new PgCommand("SELECT txid_current() > 0", again);
            Assert.That(await mode.ExecuteScalar(command), Is.True);
        }
        await using (var other = source.CreateConnection(TargetSessionAttributes.Standby))
        {
            await mode.Open(other);
            Assert.That(other.Port, Is.EqualTo(_cluster.First.Port));
        }
    }

    [Test]
    public async Task A_host_that_comes_back_serves_again()
    {
        await using var source = new PgDataSourceBuilder(Cluster.Of(_cluster.Ports)).BuildMultiHost();
        Assert.That(await PortOf(source, TargetSessionAttributes.Standby), Is.EqualTo(_cluster.First.Port));
        await _cluster.First.Server.StopAsync();
        Assert.That(await PortOf(source, TargetSessionAttributes.Standby), Is.EqualTo(_cluster.Second.Port));
        Assert.That(source.GetHosts()[1].Failure, Is.Not.Null);
        await _cluster.First.Server.RestartAsync();
        // Under load another host may be faster a few times more, because connects are staggered.
        int? port = null;
        for (var i = 0; i < 1200 && port != _cluster.First.Port; i++)
        {
            port = await PortOf(source, TargetSessionAttributes.Standby);
            Assert.That(port, Is.Not.Null);
            await Task.Delay(50);
        }

        Assert.That(port, Is.EqualTo(_cluster.First.Port));
        Assert.That(source.GetHosts()[1].Failure, Is.Null);
    }

    // The session that was idle is found dead, and the one that is opened instead of it is another server's.
    [Test]
    public async Task A_host_that_has_become_a_standby_is_not_taken_for_the_primary_that_it_was()
    {
        await using var proxy = new ChaosProxy("127.0.0.1", _cluster.Primary.Port);
        await using var source = new PgDataSourceBuilder(Cluster.Of(proxy.Port, _cluster.Primary.Port) + ";Host Recheck Seconds=300").BuildMultiHost();
        int process;
        await using (var connection = source.CreateConnection(TargetSessionAttributes.ReadWrite))
        {
            await mode.Open(connection);
            Assert.That(connection.Port, Is.EqualTo(proxy.Port));
            process = connection.ProcessID;
        }
        proxy.Redirect(_cluster.First.Port);
        await Cluster.Run(_cluster.Primary.Port, $"SELECT pg_terminate_backend({process})");
        await (await proxy.Link(0)).Ended.WaitAsync(TimeSpan.FromMinutes(2));

        Assert.That(await PortOf(source, TargetSessionAttributes.ReadWrite), Is.EqualTo(_cluster.Primary.Port));
        Assert.That((await source.CheckHostsAsync())[0].Role, Is.EqualTo(PgHostRole.Standby));
    }

    [Test]
    public async Task Each_host_has_a_pool_of_its_own_name_and_its_own_password()
    {
        var asked = new System.Collections.Concurrent.ConcurrentQueue<string>();
        var builder = new PgDataSourceBuilder($"Host=127.0.0.1:{_closed},localhost;Port={_closed};Username=u;Database=d") { Name = "shop" };
        builder.UsePasswordProvider(Password, (text, _) => new(Password(text)));
        await using var source = builder.BuildMultiHost();
        Assert.That(await PortOf(source, TargetSessionAttributes.Any), Is.Null);

        Assert.That(asked, Is.EqualTo(new[] { $"127.0.0.1 {_closed}", $"localhost {_closed}" }));
        Assert.That(source.GetHosts().Select(host => host.Pool!.Name), Is.EqualTo(new[] { $"shop on 127.0.0.1:{_closed}", $"shop on localhost:{_closed}" }));

        string Password(PgConnectionStringBuilder text)
        {
            asked.Enqueue($"{text.Host} {text.Port}");
            return "secret";
        }
    }

    [Test]
    public async Task Whoever_disposes_the_hosts_disposes_their_views()
    {
        var source = new PgDataSourceBuilder(Cluster.Of(_cluster.Ports)).BuildMultiHost();
        var view = source.WithTargetSession(TargetSessionAttributes.Primary);
        await using (var connection = view.CreateConnection())
        {
            await mode.Open(connection);
            await mode.Dispose(view);
            Assert.That(view.CreateConnection, Throws.Nothing, "others may have the same view");
            await mode.Dispose(source);
            await using var command = new PgCommand("SELECT 1", connection);
            Assert.That(await mode.ExecuteScalar(command), Is.EqualTo(1));
        }

        Assert.That(view.CreateConnection, Throws.TypeOf<ObjectDisposedException>());
        Assert.That(() => source.CreateConnection(TargetSessionAttributes.Any), Throws.TypeOf<ObjectDisposedException>());
        Assert.That(() => source.WithTargetSession((TargetSessionAttributes)99), Throws.TypeOf<ArgumentOutOfRangeException>());
    }

    [Test]
    public async Task Notifications_come_from_the_primary()
    {
        await using var source = new PgDataSourceBuilder(Cluster.Of(Ports("12P"))).BuildMultiHost();
        using var limit = new CancellationTokenSource(TimeSpan.FromMinutes(2));
        await using var heard = source.ListenAsync("heard", limit.Token).GetAsyncEnumerator(limit.Token);
        var next = heard.MoveNextAsync().AsTask();
        await Cluster.Until(_cluster.Primary.Port, "SELECT count(*) > 0 FROM pg_stat_activity WHERE query LIKE '%LISTEN%' OR query LIKE '%pg_backend_pid%'");
        for (var i = 0; i < 1200 && !next.IsCompleted; i++)
        {
            await Cluster.Run(_cluster.Primary.Port, "NOTIFY heard, 'hello'");
            await Task.WhenAny(next, Task.Delay(50));
        }

        Assert.That(await next, Is.True);
    }

    [Test]
    public void Lanes_are_refused() =>
        Assert.That(() => new PgDataSourceBuilder("Host=a,b;Multiplexing=true").Build(), Throws.TypeOf<NotSupportedException>().With.Message.Contains("several hosts"));

    private static bool Fits(TargetSessionAttributes target, bool isStandby) => target switch
    {
        TargetSessionAttributes.Primary or TargetSessionAttributes.ReadWrite => !isStandby,
        TargetSessionAttributes.Standby or TargetSessionAttributes.ReadOnly => isStandby,
        _ => true,
    };

    private int[] Ports(string order) => [.. order.Select(one => one switch
    {
        'P' => _cluster.Primary.Port,
        '1' => _cluster.First.Port,
        '2' => _cluster.Second.Port,
        _ => _closed,
    })];

    private async Task Open(PgMultiHostDataSource source, TargetSessionAttributes target)
    {
        await using var connection = source.CreateConnection(target);
        await mode.Open(connection);
    }

    private async Task<int?> PortOf(PgMultiHostDataSource source, TargetSessionAttributes target)
    {
        try
        {
            await using var connection = source.CreateConnection(target);
            await mode.Open(connection);
            return connection.Port;
        }
        catch (PgException)
        {
            return null;
        }
    }

    // Connects are staggered by 250 ms: under load, a host may have answered before one that comes earlier in the list.
    private async Task<int?> FirstPortOf(string text, TargetSessionAttributes target, int? expected)
    {
        for (var i = 0; ; i++)
        {
            await using var source = new PgDataSourceBuilder(text).BuildMultiHost();
            var watch = System.Diagnostics.Stopwatch.StartNew();
            if (await PortOf(source, target) is var port && (port == expected || watch.Elapsed < Loxo.Transport.Staggered.Pause || i == 20))
                return port;
        }
    }

    // How many of six opens led to the first host, and where three more lead once the second host has none in use; and the slowest open.
    private async Task<((int OnFirst, string Then) Result, TimeSpan Slowest)> FewestInUse(PgMultiHostDataSource source)
    {
        var slowest = TimeSpan.Zero;
        var open = new List<PgConnection>();
        for (var i = 0; i < 6; i++)
            await Open();
        var onFirst = open.Count(connection => connection.Port == _cluster.First.Port);
        foreach (var connection in open.Where(connection => connection.Port == _cluster.Second.Port))
            await mode.Close(connection);
        for (var i = 0; i < 3; i++)
            await Open();
        var then = string.Join(", ", open.TakeLast(3).Select(connection => connection.Port == _cluster.Second.Port ? "the second" : "the first"));
        foreach (var connection in open)
            await connection.DisposeAsync();
        return ((onFirst, then), slowest);

        async Task Open()
        {
            var watch = System.Diagnostics.Stopwatch.StartNew();
            open.Add(source.CreateConnection());
            await mode.Open(open[^1]);
            slowest = watch.Elapsed > slowest ? watch.Elapsed : slowest;
        }
    }

    private static int? TheirPortOf(NpgsqlMultiHostDataSource source, TargetSessionAttributes target)
    {
        try
        {
            using var connection = source.OpenConnection(Enum.Parse<Npgsql.TargetSessionAttributes>($"{target}"));
            return connection.Port;
        }
        catch (NpgsqlException)
        {
            return null;
        }
    }

    private sealed class Holes : IDisposable
    {
        private readonly BlackHole[] _holes;

        public Holes(int count) => _holes = [.. Enumerable.Range(0, count).Select(_ => new BlackHole())];

        public int[] Ports => [.. _holes.Select(hole => hole.Port)];

        public void Dispose()
        {
            foreach (var hole in _holes)
                hole.Dispose();
        }
    }
}
