using System.Net;
using System.Net.Sockets;

namespace Loxo.Embedded.Tests;

[TestFixture(15)]
[TestFixture(18)]
public class ServerTests(int version)
{
    private PgEmbeddedServer _server = null!;

    [OneTimeSetUp]
    public void Start() => _server = Servers.Start(new PgEmbeddedServerOptions
    {
        Version = version,
        Settings = { ["work_mem"] = "12345kB", ["loxo.remark"] = @"it's a \ path" },
        WalLevel = PgWalLevel.Logical,
        MaxPreparedTransactions = 7,
    });

    [OneTimeTearDown]
    public void Stop() => _server.Dispose();

    [Test]
    public void The_version_asked_for_is_the_one_that_runs()
    {
        Assert.That(_server.Version.Major, Is.EqualTo(version));
        Assert.That(MiniClient.Ask(_server, "SHOW server_version"), Does.StartWith($"{version}.{_server.Version.Minor}"));
    }

    [TestCase("work_mem", "12345kB")]
    [TestCase("loxo.remark", @"it's a \ path")]
    [TestCase("wal_level", "logical")]
    [TestCase("max_prepared_transactions", "7")]
    [TestCase("fsync", "off")]
    [TestCase("synchronous_commit", "off")]
    [TestCase("full_page_writes", "off")]
    [TestCase("server_encoding", "UTF8")]
    [TestCase("TimeZone", "UTC")]
    public void Settings_reach_the_server(string name, string expected) =>
        Assert.That(MiniClient.Ask(_server, $"SHOW {name}"), Is.EqualTo(expected));

    [Test]
    public void The_connection_string_names_what_a_driver_needs() =>
        Assert.That(_server.ConnectionString, Is.EqualTo($"Host=127.0.0.1;Port={_server.Port};Username=postgres;Database=postgres"));

    [Test]
    public void The_reported_paths_and_process_are_the_servers_own()
    {
        Assert.That(MiniClient.Ask(_server, "SHOW data_directory"), Is.EqualTo(_server.DataDirectory));
        Assert.That(File.ReadLines(Path.Combine(_server.DataDirectory, "postmaster.pid")).First(), Is.EqualTo($"{_server.ProcessId}"));
        Assert.That(File.ReadAllText(_server.LogFile), Does.Contain("ready to accept connections"));
        Assert.That(Path.Combine(_server.BinaryDirectory, "postgres"), Does.Exist);
    }

    [Test]
    public void The_unix_socket_leads_to_the_same_server()
    {
        var path = Path.Combine(_server.SocketDirectory, $".s.PGSQL.{_server.Port}");
        using var client = MiniClient.Open(new UnixDomainSocketEndPoint(path)).LogIn("postgres");

        Assert.That(client.Ask("SHOW data_directory"), Is.EqualTo(_server.DataDirectory));
    }

    [Test]
    public void IPv6_leads_to_the_same_server_where_the_machine_has_it()
    {
        try
        {
            using var probe = new TcpListener(IPAddress.IPv6Loopback, 0);
            probe.Start();
        }
        catch (SocketException)
        {
            Assert.Ignore("This machine has no ::1.");
        }
        using var client = MiniClient.Open(new IPEndPoint(IPAddress.IPv6Loopback, _server.Port)).LogIn("postgres");

        Assert.That(client.Ask("SHOW data_directory"), Is.EqualTo(_server.DataDirectory));
    }

    [Test]
    public void A_server_of_root_runs_as_somebody_else()
    {
        if (!OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess)
            Assert.Ignore("Only root on Linux.");

        var user = File.ReadLines($"/proc/{_server.ProcessId}/status").Single(line => line.StartsWith("Uid:", StringComparison.Ordinal));

        Assert.That(user.Split('\t')[1], Is.Not.EqualTo("0"));
    }

    [Test]
    public async Task Both_ways_of_starting_give_a_server_that_leaves_nothing_behind([Values] bool blocking)
    {
        var options = Servers.Fetching(new PgEmbeddedServerOptions { Version = version });
        var server = blocking ? PgEmbeddedServer.Start(options) : await PgEmbeddedServer.StartAsync(options);
        var process = server.ProcessId;
        Assert.That(MiniClient.Ask(server, "SELECT 1 + 1"), Is.EqualTo("2"));

        if (blocking)
            server.Dispose();
        else
            await server.DisposeAsync();

        Assert.That(server.DataDirectory, Does.Not.Exist);
        Assert.That(server.SocketDirectory, Does.Not.Exist);
        Assert.That(server.SocketDirectory + ".lock", Does.Not.Exist);
        Assert.That(Children.IsRunning(process), Is.False);
    }
}
