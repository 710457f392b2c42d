using System.Net;
using System.Net.Sockets;
using Loxo.Pooling;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Loxo.DependencyInjectionTests;

/// <summary>Warm-up at the start of a host, and drain at its stop.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class WarmUpTests(WaitMode mode)
{
    private static readonly string _text = TestServer.Default.ConnectionString;
    private RecordedLog _log = null!;

    [SetUp]
    public void MakeLog() => _log = new RecordedLog();

    [TearDown]
    public void DisposeLog() => _log.Dispose();

    [TestCase(null), TestCase("key")]
    public async Task The_connections_are_open_before_a_service_starts(string? key)
    {
        using var host = Host(services => services.AddPgDataSource(_text, serviceKey: key)
            .AddPgWarmUp(options => options.Connections = 3, key).AddSingleton<IHostedService>(provider => new Observer(Source(provider, key))));
        await Start(host);

        var seen = host.Services.GetServices<IHostedService>().OfType<Observer>().Single();
        Assert.That((seen.AtStart!.Total, seen.AtStart.Idle, seen.AtStart.Opened), Is.EqualTo((3, 3, 3L)));
        Assert.That(Messages(2900), Has.Exactly(1).Contains("3 connections"));
        await Stop(host);
    }

    [Test]
    public async Task The_pool_of_each_host_is_warmed_up_and_drained_but_for_one_that_is_down()
    {
        var port = TestServer.Default.Port;
        var hosts = new PgConnectionStringBuilder(_text) { Host = $"127.0.0.1:1,127.0.0.1:{port},localhost:{port}" }.ConnectionString;
        using var host = Host(services => services.AddMultiHostPgDataSource(hosts).AddPgWarmUp(options => options.Connections = 2));
        await Start(host);
        var source = host.Services.GetRequiredService<PgMultiHostDataSource>();

        Assert.That(source.GetHosts().Select(one => one.Pool!.Idle), Is.EqualTo(new[] { 0, 2, 2 }));
        Assert.That(source.GetHosts()[0].Failure, Is.InstanceOf<PgException>());
        Assert.That(Messages(2900), Has.Exactly(1).Contains("2 connections"));
        await Stop(host);
        Assert.That(Messages(2902), Has.Exactly(1).Items);
    }

    [Test]
    public async Task By_default_as_many_are_opened_as_the_pool_keeps()
    {
        using var host = Host(services => services.AddPgDataSource(_text + ";Minimum Pool Size=2").AddPgWarmUp()
            .AddSingleton<IHostedService>(provider => new Observer(Source(provider))));
        await Start(host);

        var seen = host.Services.GetServices<IHostedService>().OfType<Observer>().Single();
        Assert.That(seen.AtStart!.Total - seen.AtStart.Opening, Is.EqualTo(2));
        Assert.That(Messages(2900), Has.Exactly(1).Contains("2 connections"));
        await Stop(host);
    }

    [TestCase("true", 2), TestCase(null, 3), TestCase("false", 0)]
    public async Task The_configuration_asks_for_it(string? flag, int expected)
    {
        using var host = Host(services => { }, builder =>
        {
            builder.Configuration["ConnectionStrings:catalog"] = _text;
            builder.Configuration["Loxo:catalog:Minimum Pool Size"] = expected == 0 ? "0" : "2";
            builder.Configuration["Loxo:catalog:WarmUp"] = flag;
            if (flag is null)
            {
                builder.Configuration["Loxo:catalog:WarmUp:Connections"] = "3";
                builder.Configuration["Loxo:catalog:WarmUp:Timeout"] = "00:01:00";
                builder.Configuration["Loxo:catalog:WarmUp:Required"] = "True";
                builder.Configuration["Loxo:catalog:WarmUp:DrainTimeout"] = "00:00:20";
            }
            builder.AddPgDataSource("catalog");
        });
        await Start(host);

        Assert.That(Messages(2900), Has.Exactly(expected == 0 ? 0 : 1).Items);
        // Not those that are idle: the pool may be looking at the database with one.
        var pool = Source(host.Services).GetPoolStatistics()!;
        Assert.That(pool.Total - pool.Opening, Is.EqualTo(expected));
        await Stop(host);
        Assert.That(Messages(2902), Has.Exactly(expected == 0 ? 0 : 1).Items);
    }

    [Test]
    public void A_failure_ends_the_start()
    {
        using var host = Host(services => services.AddPgDataSource("Host=127.0.0.1;Port=1").AddPgWarmUp(options => options.Connections = 1));

        Assert.That(() => Start(host),
            Throws.TypeOf<PgException>().With.Property(nameof(PgException.Code)).EqualTo(PgErrorCode.ConnectionRefused));
    }

    [Test]
    public async Task A_failure_is_logged_if_the_connections_are_not_required()
    {
        using var host = Host(services => services.AddPgDataSource("Host=127.0.0.1;Port=1").AddPgWarmUp(options =>
        {
            options.Connections = 1;
            options.Required = false;
        }));
        await Start(host);

        Assert.That(_log.Messages, Has.Exactly(1).Matches<(string Category, LogLevel Level, int EventId, string Text)>(message =>
            message.Category == "Loxo.Hosting" && message.Level == LogLevel.Warning && message.EventId == 2901
            && message.Text.Contains("127.0.0.1", StringComparison.Ordinal)));
        await Stop(host);
    }

    [TestCase(true), TestCase(false)]
    public async Task A_server_that_says_nothing_is_waited_for_until_the_time_is_over(bool required)
    {
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        var port = ((IPEndPoint)silent.LocalEndpoint).Port;
        using var host = Host(services => services.AddPgDataSource($"Host=127.0.0.1;Port={port};Username=me;Timeout=120").AddPgWarmUp(options =>
        {
            options.Connections = 2;
            options.Timeout = TimeSpan.FromSeconds(0.3);
            options.Required = required;
        }));

        if (required)
        {
            Assert.That(() => Start(host), Throws.TypeOf<TimeoutException>().With.Message.Contains("0 of 2 connections").And.Message.Contains("00:00:00.3"));
            return;
        }
        await Start(host);
        Assert.That(Messages(2901), Has.Exactly(1).Contains("0 of 2 connections"));
        await Stop(host);
    }

    [Test]
    public async Task The_host_may_end_the_wait()
    {
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        var port = ((IPEndPoint)silent.LocalEndpoint).Port;
        using var host = Host(services => services.AddPgDataSource($"Host=127.0.0.1;Port={port};Username=me;Timeout=120").AddPgWarmUp(options =>
        {
            options.Connections = 1;
            options.Timeout = Timeout.InfiniteTimeSpan;
            options.Required = false;
        }));
        using var cancel = new CancellationTokenSource();
        var start = host.StartAsync(cancel.Token);
        using (await silent.AcceptSocketAsync())
            await cancel.CancelAsync();

        Assert.That(async () => await start, Throws.InstanceOf<OperationCanceledException>());
    }

    [Test]
    public async Task The_stop_waits_for_rented_connections()
    {
        using var host = Host(services => services.AddPgDataSource(_text)
            .AddPgWarmUp(options => (options.Connections, options.DrainTimeout) = (2, TimeSpan.FromMinutes(2))));
        await Start(host);
        var source = Source(host.Services);
        var connection = source.CreateConnection();
        await mode.Open(connection);
        var stop = host.StopAsync();
        await UntilNothingIsRentedOut(source);

        Assert.That(stop.IsCompleted, Is.False);
        await using (var command = new PgCommand("SELECT 1", connection))
            Assert.That(await mode.ExecuteScalar(command), Is.EqualTo(1));
        await mode.Dispose(connection);
        await stop;
        Assert.That(source.GetPoolStatistics()!.Total, Is.Zero);
        Assert.That(Messages(2902), Has.Exactly(1).Items);
    }

    [Test]
    public async Task The_stop_gives_up_when_the_time_to_drain_is_over()
    {
        using var host = Host(services => services.AddPgDataSource(_text)
            .AddPgWarmUp(options => options.DrainTimeout = TimeSpan.FromSeconds(0.2)));
        await Start(host);
        var source = Source(host.Services);
        var connection = source.CreateConnection();
        await mode.Open(connection);
        await Stop(host);

        Assert.That(Messages(2903), Has.Exactly(1).Contains("still had 1 connections in use"));
        await using (var command = new PgCommand("SELECT 1", connection))
            Assert.That(await mode.ExecuteScalar(command), Is.EqualTo(1));
        await mode.Dispose(connection);
        Assert.That(source.GetPoolStatistics()!.Total, Is.Zero);
    }

    [Test]
    public async Task The_stop_gives_up_when_the_time_of_the_host_is_over()
    {
        using var host = Host(services => services.AddPgDataSource(_text)
            .AddPgWarmUp(options => options.DrainTimeout = Timeout.InfiniteTimeSpan)
            .Configure<HostOptions>(options => options.ShutdownTimeout = TimeSpan.FromSeconds(0.2)));
        await Start(host);
        await using var connection = Source(host.Services).CreateConnection();
        await mode.Open(connection);
        await Stop(host);

        Assert.That(Messages(2903), Has.Exactly(1).Contains("still had 1 connections in use"));
    }

    [Test]
    public async Task Nothing_is_drained_with_a_time_of_zero()
    {
        using var host = Host(services => services.AddPgDataSource(_text)
            .AddPgWarmUp(options => (options.Connections, options.DrainTimeout) = (1, TimeSpan.Zero)));
        await Start(host);
        await Stop(host);
        await using var connection = Source(host.Services).CreateConnection();
        await mode.Open(connection);

        Assert.That(Source(host.Services).GetPoolStatistics()!.Opened, Is.EqualTo(1));
    }

    [Test]
    public async Task Every_pool_is_warmed_up_and_a_second_call_for_one_replaces_the_first()
    {
        using var host = Host(services => services.AddPgDataSource(_text).AddPgDataSource(_text, serviceKey: "key")
            .AddPgWarmUp(options => options.Connections = 5).AddPgWarmUp(options => options.Connections = 1)
            .AddPgWarmUp(options => options.Connections = 2, "key"));
        await Start(host);

        Assert.That(Source(host.Services).GetPoolStatistics()!.Opened, Is.EqualTo(1));
        Assert.That(Source(host.Services, "key").GetPoolStatistics()!.Opened, Is.EqualTo(2));
        Assert.That(Messages(2900), Has.Exactly(2).Items);
        await Stop(host);
    }

    [TestCase(";Pooling=false", ServiceLifetime.Singleton, "no pool to warm up")]
    [TestCase(";Maximum Pool Size=2", ServiceLifetime.Singleton, "3 connections")]
    [TestCase("", ServiceLifetime.Scoped, "Scoped")]
    [TestCase("", ServiceLifetime.Transient, "Transient")]
    public void A_pool_that_cannot_be_warmed_up_ends_the_start(string keywords, ServiceLifetime lifetime, string said)
    {
        using var host = Host(services => services
            .AddPgWarmUp(options => (options.Connections, options.Required) = (3, false))
            .AddPgDataSource(_text + keywords, dataSourceLifetime: lifetime));

        Assert.That(() => Start(host), Throws.InvalidOperationException.With.Message.Contains(said));
    }

    [Test]
    public void Bad_arguments_are_refused_at_once()
    {
        var options = new PgWarmUpOptions();
        Assert.That(() => ((IServiceCollection)null!).AddPgWarmUp(), Throws.ArgumentNullException);
        Assert.That(() => options.Connections = -1, Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(() => options.Timeout = TimeSpan.Zero, Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(() => options.Timeout = TimeSpan.FromSeconds(-1), Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(() => options.Timeout = TimeSpan.FromDays(25), Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(() => options.DrainTimeout = TimeSpan.FromSeconds(-1), Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(() => options.DrainTimeout = TimeSpan.FromDays(25), Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That((options.Connections, options.Timeout, options.Required, options.DrainTimeout),
            Is.EqualTo(((int?)null, TimeSpan.FromSeconds(30), true, TimeSpan.FromSeconds(10))));
    }

    private static PgDataSource Source(IServiceProvider provider, string? key = null) =>
        key is null ? provider.GetRequiredService<PgDataSource>() : provider.GetRequiredKeyedService<PgDataSource>(key);

    private IHost Host(Action<IServiceCollection> add, Action<HostApplicationBuilder>? configure = null)
    {
        var builder = Microsoft.Extensions.Hosting.Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Services.AddSingleton<ILoggerFactory>(_log);
        add(builder.Services);
        configure?.Invoke(builder);
        return builder.Build();
    }

    // A host has blocking forms of these, which wait for the asynchronous ones.
    private static Task Start(IHost host) => host.StartAsync();

    private static Task Stop(IHost host) => host.StopAsync();

    private IEnumerable<string> Messages(int eventId) => _log.Messages.Where(message => message.EventId == eventId).Select(message => message.Text);

    // The drain has begun when the pool hands out no more.
    private async Task UntilNothingIsRentedOut(PgDataSource source)
    {
        while (true)
        {
            try
            {
                await using var connection = source.CreateConnection();
                await mode.Open(connection);
            }
            catch (ObjectDisposedException)
            {
                return;
            }
        }
    }

    private sealed class Observer(PgDataSource source) : IHostedService
    {
        public PoolStatistics? AtStart { get; private set; }

        public Task StartAsync(CancellationToken cancellationToken)
        {
            AtStart = source.GetPoolStatistics();
            return Task.CompletedTask;
        }

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
