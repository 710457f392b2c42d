using System.Net;
using System.Net.Sockets;
using Loxo.Embedded;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Loxo.DependencyInjectionTests;

/// <summary>The health check of a data source, on servers that answer and on those that do not.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class HealthCheckTests(WaitMode mode)
{
    private const string Secret = "top-secret";
    private static readonly TimeSpan _short = TimeSpan.FromSeconds(0.3);
    private static readonly string _text = TestServer.Default.ConnectionString;

    [Test]
    public async Task A_server_that_answers_is_healthy()
    {
        await using var provider = Provider(_text + ";Maximum Pool Size=7", checks => checks.AddPgDataSource());
        await using var connection = provider.GetRequiredService<PgConnection>();
        await mode.Open(connection);
        var entry = await Check(provider, "postgresql");

        Assert.That(entry.Status, Is.EqualTo(HealthStatus.Healthy));
        Assert.That(entry.Description, Does.Contain($"tcp://127.0.0.1:{TestServer.Default.Port}").And.EndsWith("answers."));
        Assert.That(entry.Exception, Is.Null);
        Assert.That(entry.Data["host"], Is.EqualTo($"tcp://127.0.0.1:{TestServer.Default.Port}"));
        Assert.That(entry.Data["database"], Is.EqualTo("postgres"));
        Assert.That((entry.Data["maximum"], entry.Data["total"], entry.Data["busy"], entry.Data["idle"], entry.Data["opened"]),
            Is.EqualTo((7, 2, 1, 1, 2L)));
        Assert.That(provider.GetRequiredService<PgDataSource>().GetPoolStatistics()!.Rented, Is.EqualTo(2));
    }

    [Test]
    public async Task Each_of_several_hosts_is_asked_and_one_that_does_not_answer_degrades_the_data_source()
    {
        var port = TestServer.Default.Port;
        var both = new PgConnectionStringBuilder(_text) { Host = $"127.0.0.1:{port},localhost:{port}" }.ConnectionString;
        await using var provider = new ServiceCollection().AddLogging()
            .AddMultiHostPgDataSource(both, serviceKey: "both")
            .AddMultiHostPgDataSource(new PgConnectionStringBuilder(_text) { Host = $"127.0.0.1:1,127.0.0.1:{port}" }.ConnectionString, serviceKey: "one")
            .AddHealthChecks().AddPgDataSource("both", "both").AddPgDataSource("one", "one")
            .Services.BuildServiceProvider();
        await using var connection = provider.GetRequiredKeyedService<PgConnection>("one");
        await mode.Open(connection);
        var report = await provider.GetRequiredService<HealthCheckService>().CheckHealthAsync();

        var (all, some) = (report.Entries["both"], report.Entries["one"]);
        Assert.That(all.Status, Is.EqualTo(HealthStatus.Healthy), all.Description);
        Assert.That(all.Data[$"localhost:{port}"], Does.StartWith("ReadWritePrimary, 0 busy, 1 idle"));
        Assert.That(some.Status, Is.EqualTo(HealthStatus.Degraded));
        Assert.That(some.Description, Does.Contain("127.0.0.1:1: Could not connect"));
        Assert.That(some.Data["127.0.0.1:1"], Is.EqualTo("Unknown, failed, 0 busy, 0 idle"));
        Assert.That(some.Data[$"127.0.0.1:{port}"], Does.StartWith("ReadWritePrimary, 1 busy"));
    }

    [Test]
    public async Task Name_tags_status_and_key_are_those_given()
    {
        await using var provider = new ServiceCollection().AddLogging()
            .AddPgDataSource("Host=127.0.0.1;Port=1", serviceKey: "down").AddPgDataSource(_text, serviceKey: "up")
            .AddHealthChecks()
            .AddPgDataSource("down", "down", HealthStatus.Degraded, ["ready", "database"])
            .AddPgDataSource("up", "up", tags: ["live"])
            .Services.BuildServiceProvider();

        var report = await provider.GetRequiredService<HealthCheckService>().CheckHealthAsync();
        Assert.That(report.Entries["up"].Status, Is.EqualTo(HealthStatus.Healthy));
        Assert.That(report.Entries["up"].Tags, Is.EqualTo(new[] { "live" }));
        Assert.That(report.Entries["down"].Status, Is.EqualTo(HealthStatus.Degraded));
        Assert.That(report.Entries["down"].Tags, Is.EqualTo(new[] { "ready", "database" }));
        Assert.That(report.Entries["down"].Description, Does.StartWith("PostgreSQL at tcp://127.0.0.1:1, database "));
    }

    [Test]
    public async Task Without_a_pool_there_is_nothing_to_say_about_it()
    {
        await using var provider = Provider(_text + ";Pooling=false", checks => checks.AddPgDataSource());
        var entry = await Check(provider, "postgresql");

        Assert.That(entry.Status, Is.EqualTo(HealthStatus.Healthy));
        Assert.That(entry.Data.Keys, Is.EquivalentTo(new[] { "host", "database" }));
    }

    [Test]
    public async Task A_server_that_goes_and_comes_back_is_seen()
    {
        await using var server = await PgEmbeddedServer.StartAsync(TestServer.Options());
        await using var provider = Provider(server.ConnectionString + $";Password={Secret}", checks => checks.AddPgDataSource());
        Assert.That((await Check(provider, "postgresql")).Status, Is.EqualTo(HealthStatus.Healthy));
        await mode.Run(() => server.Stop(), () => server.StopAsync());

        var down = await Check(provider, "postgresql");
        Assert.That(down.Status, Is.EqualTo(HealthStatus.Unhealthy));
        Assert.That(down.Description, Does.StartWith($"PostgreSQL at tcp://127.0.0.1:{server.Port}, database 'postgres': "));
        Assert.That(down.Description, Does.Not.Contain(Secret));
        Assert.That(down.Exception, Is.InstanceOf<PgException>());
        Assert.That(down.Data["idle"], Is.Zero);

        await mode.Run(() => server.Restart(), () => server.RestartAsync());
        Assert.That((await Check(provider, "postgresql")).Status, Is.EqualTo(HealthStatus.Healthy));
    }

    [Test]
    public async Task A_refused_login_is_described_without_the_password()
    {
        var text = new PgConnectionStringBuilder(TestServer.Passwords.ConnectionString) { Username = TestServer.ScramUser, Password = Secret };
        await using var provider = Provider(text.ConnectionString + ";Persist Security Info=true", checks => checks.AddPgDataSource());
        var entry = await Check(provider, "postgresql");

        Assert.That(entry.Status, Is.EqualTo(HealthStatus.Unhealthy));
        Assert.That(entry.Description, Does.Contain("28P01").And.Contain(TestServer.ScramUser));
        Assert.That(entry.Description, Does.Not.Contain(Secret));
        Assert.That(entry.Exception!.ToString(), Does.Not.Contain(Secret));
        Assert.That(string.Join(' ', entry.Data.Values), Does.Not.Contain(Secret));
    }

    [Test]
    public async Task The_text_of_an_error_of_the_program_is_not_shown()
    {
        await using var provider = new ServiceCollection().AddLogging()
            .AddPgDataSource(_text, builder => builder.UsePhysicalConnectionInitializer(
                _ => throw new InvalidOperationException(Secret), _ => throw new InvalidOperationException(Secret)))
            .AddHealthChecks().AddPgDataSource().Services.BuildServiceProvider();
        var entry = await Check(provider, "postgresql");

        Assert.That(entry.Status, Is.EqualTo(HealthStatus.Unhealthy));
        Assert.That(entry.Description, Does.EndWith(": InvalidOperationException."));
    }

    [TestCase(false), TestCase(true)]
    public async Task The_text_of_an_error_of_a_password_provider_is_not_shown(bool periodic)
    {
        var text = new PgConnectionStringBuilder(TestServer.Passwords.ConnectionString) { Username = TestServer.ScramUser };
        await using var provider = new ServiceCollection().AddLogging()
            .AddPgDataSource(text.ConnectionString, builder => _ = periodic
                ? builder.UsePeriodicPasswordProvider((_, _) => throw new InvalidOperationException(Secret), TimeSpan.FromHours(1), TimeSpan.FromHours(1))
                : builder.UsePasswordProvider(_ => throw new InvalidOperationException(Secret), (_, _) => throw new InvalidOperationException(Secret)))
            .AddHealthChecks().AddPgDataSource().Services.BuildServiceProvider();
        var entry = await Check(provider, "postgresql");

        Assert.That(entry.Status, Is.EqualTo(HealthStatus.Unhealthy));
        Assert.That(entry.Description, Does.EndWith("InvalidOperationException.").And.Not.Contain(Secret));
    }

    [TestCase(null, HealthStatus.Unhealthy), TestCase(HealthStatus.Degraded, HealthStatus.Degraded)]
    public async Task An_exhausted_pool_is_told_from_a_server_that_is_down(HealthStatus? exhausted, HealthStatus expected)
    {
        await using var provider = Provider(_text + ";Maximum Pool Size=2",
            checks => checks.AddPgDataSource(timeout: _short, exhaustedStatus: exhausted).AddPgDataSource("patient", timeout: Timeout.InfiniteTimeSpan));
        await using var first = provider.GetRequiredService<PgConnection>();
        await using var second = provider.GetRequiredService<PgConnection>();
        await mode.Open(first);
        await mode.Open(second);
        var entry = await Check(provider, "postgresql");

        Assert.That(entry.Status, Is.EqualTo(expected));
        Assert.That(entry.Description, Does.Contain("the pool is exhausted: all 2 connections are in use, the first of them for"));
        Assert.That((entry.Data["busy"], entry.Data["idle"]), Is.EqualTo((2, 0)));

        await mode.Close(first);
        // The short time is enough to find no connection, but on a busy machine not for an answer.
        var after = await Check(provider, "patient");
        Assert.That(after.Status, Is.EqualTo(HealthStatus.Healthy), after.Description);
    }

    [Test]
    public async Task An_exhausted_pool_is_seen_by_its_own_timeout_as_well()
    {
        await using var provider = Provider(_text + ";Maximum Pool Size=1;Timeout=1",
            checks => checks.AddPgDataSource(failureStatus: HealthStatus.Degraded, timeout: Timeout.InfiniteTimeSpan));
        await using var connection = provider.GetRequiredService<PgConnection>();
        await mode.Open(connection);
        var entry = await Check(provider, "postgresql");

        Assert.That(entry.Status, Is.EqualTo(HealthStatus.Degraded));
        Assert.That(entry.Description, Does.Contain("the pool is exhausted: all 1 connections are in use"));
        Assert.That(entry.Exception, Has.Property(nameof(PgException.Code)).EqualTo(PgErrorCode.PoolExhausted));
    }

    [Test]
    public async Task A_server_that_says_nothing_is_unhealthy_after_the_timeout()
    {
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        await using var provider = Provider($"Host=127.0.0.1;Port={((IPEndPoint)silent.LocalEndpoint).Port};Username=me;Timeout=120",
            checks => checks.AddPgDataSource(timeout: _short, exhaustedStatus: HealthStatus.Degraded));
        var entry = await Check(provider, "postgresql");

        Assert.That(entry.Status, Is.EqualTo(HealthStatus.Unhealthy));
        Assert.That(entry.Description, Does.EndWith(": no answer within 0.3 s."));
    }

    [Test, Platform(Exclude = "Win")]
    public async Task A_command_that_gets_no_answer_is_not_an_exhausted_pool()
    {
        // Otherwise the pool might look through the database on its only session, which then never comes back.
        await using var provider = Provider(_text + ";Maximum Pool Size=1;Cancellation Timeout=100;Session Reset=Never",
            checks => checks.AddPgDataSource(timeout: _short, exhaustedStatus: HealthStatus.Degraded));
        var connection = provider.GetRequiredService<PgConnection>();
        await mode.Open(connection);
        var processId = connection.ProcessID;
        await mode.Dispose(connection);
        while (provider.GetRequiredService<PgDataSource>().GetPoolStatistics() is { Idle: 0 })
            await Task.Delay(1);
        Send("-STOP", processId);
        try
        {
            var entry = await Check(provider, "postgresql");
            Assert.That(entry.Status, Is.EqualTo(HealthStatus.Unhealthy));
            Assert.That(entry.Description, Does.EndWith(": no answer within 0.3 s."));
        }
        finally
        {
            Send("-CONT", processId);
        }
    }

    [Test]
    public async Task A_data_source_that_cannot_be_made_is_unhealthy()
    {
        await using var provider = new ServiceCollection().AddLogging()
            .AddPgDataSource(new ConfigurationBuilder().Build(), "catalog", serviceKey: "unset")
            .AddPgDataSource($"Hots=h;Password={Secret}", serviceKey: "wrong")
            .AddHealthChecks().AddPgDataSource("unset", "unset").AddPgDataSource("wrong", "wrong").AddPgDataSource("none", "none")
            .Services.BuildServiceProvider();

        var unset = await Check(provider, "unset");
        Assert.That(unset.Status, Is.EqualTo(HealthStatus.Unhealthy));
        Assert.That(unset.Description, Does.StartWith("The data source could not be made: 'ConnectionStrings:catalog' is missing"));
        Assert.That((await Check(provider, "wrong")).Description, Is.EqualTo("The data source could not be made: ArgumentException."));
        Assert.That((await Check(provider, "none")).Description, Is.EqualTo("The data source could not be made: InvalidOperationException."));
    }

    [Test]
    public async Task A_disposed_data_source_is_unhealthy()
    {
        await using var provider = Provider(_text, checks => checks.AddPgDataSource());
        await mode.Dispose(provider.GetRequiredService<PgDataSource>());
        var entry = await Check(provider, "postgresql");

        Assert.That(entry.Status, Is.EqualTo(HealthStatus.Unhealthy));
        Assert.That(entry.Description, Is.EqualTo("PostgreSQL: the data source is disposed."));
    }

    [Test]
    public async Task The_token_of_the_caller_ends_the_check()
    {
        await using var provider = Provider(_text + ";Maximum Pool Size=1", checks => checks.AddPgDataSource());
        await using var connection = provider.GetRequiredService<PgConnection>();
        await mode.Open(connection);
        using var stop = new CancellationTokenSource();
        var check = provider.GetRequiredService<HealthCheckService>().CheckHealthAsync(stop.Token);
        await stop.CancelAsync();

        Assert.That(async () => await check, Throws.InstanceOf<OperationCanceledException>());
    }

    [Test]
    public void Bad_arguments_are_refused_at_once()
    {
        var checks = new ServiceCollection().AddHealthChecks();
        Assert.That(() => ((IHealthChecksBuilder)null!).AddPgDataSource(), Throws.ArgumentNullException);
        Assert.That(() => checks.AddPgDataSource(null!), Throws.ArgumentNullException);
        Assert.That(() => checks.AddPgDataSource(""), Throws.ArgumentException);
        foreach (var time in new[] { TimeSpan.Zero, TimeSpan.FromSeconds(-5), TimeSpan.FromDays(30) })
        {
            Assert.That(() => checks.AddPgDataSource(timeout: time),
                Throws.TypeOf<ArgumentOutOfRangeException>().With.Property("ParamName").EqualTo("timeout"));
        }
    }

    private static ServiceProvider Provider(string text, Func<IHealthChecksBuilder, IHealthChecksBuilder> add) =>
        add(new ServiceCollection().AddLogging().AddPgDataSource(text).AddHealthChecks()).Services.BuildServiceProvider();

    private static async Task<HealthReportEntry> Check(IServiceProvider provider, string name) =>
        (await provider.GetRequiredService<HealthCheckService>().CheckHealthAsync(one => one.Name == name)).Entries[name];

    // A server process that is stopped keeps its connection and says nothing.
    private static void Send(string signal, int processId)
    {
        using var kill = System.Diagnostics.Process.Start("kill", [signal, processId.ToString()]);
        kill.WaitForExit();
        Assert.That(kill.ExitCode, Is.Zero);
    }
}
