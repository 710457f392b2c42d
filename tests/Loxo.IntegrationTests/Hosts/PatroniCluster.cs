using System.Diagnostics;
using System.Net.Http.Json;
using System.Text.Json;
using Loxo.IntegrationTests.Server;

namespace Loxo.IntegrationTests.Hosts;

/// <summary>
/// Three members of Patroni with one etcd, as programs of an ordinary user on free ports of this machine. They run the PostgreSQL of Debian, whatever
/// version the other tests run on.
/// </summary>
internal sealed class PatroniCluster : IAsyncDisposable
{
    private const int Members = 3;

    private static readonly HttpClient Http = new() { Timeout = TimeSpan.FromSeconds(60) };

    // Only a hang should ever meet it.
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(3);

    private readonly string _folder = Directory.CreateTempSubdirectory("loxo-patroni-").FullName;
    private readonly int _etcdPort = FreePort.Next();
    private readonly int[] _apiPorts = Ports(), _ports = Ports();
    private readonly Process?[] _patronis = new Process?[Members];
    private Process? _etcd;

    private PatroniCluster()
    {
    }

    // Neither PostgreSQL nor etcd should run as root.
    private static string? User => Environment.IsPrivilegedProcess ? "postgres" : null;

    public string ConnectionString => Cluster.Of(_ports);

    /// <summary>Starts the members, and waits until one leads and the others follow, one of them synchronously.</summary>
    public static async Task<PatroniCluster> StartAsync()
    {
        var patroni = DebianPackage.Program("patroni", "patroni");
        var etcd = DebianPackage.Program("etcd", "etcd-server");
        var binaries = Directory.Exists("/usr/lib/postgresql")
            ? Directory.GetDirectories("/usr/lib/postgresql").Select(version => Path.Combine(version, "bin")).Where(bin => File.Exists(Path.Combine(bin, "postgres"))).Max()
            : null;
        if (binaries is null)
            Assert.Ignore("Patroni needs an installed PostgreSQL with all its programs: apt-get install postgresql-15");
        var cluster = new PatroniCluster();
        try
        {
            cluster.GiveAway(cluster._folder);
            cluster._etcd = cluster.StartEtcd(etcd);
            await cluster.Until(() => Task.FromResult(FreePort.HasListener(cluster._etcdPort)), "etcd listens");
            for (var i = 0; i < Members; i++)
                cluster._patronis[i] = cluster.StartMember(patroni, binaries, i);
            await cluster.Until(async () => await cluster.Roles() is { Count: Members } roles && roles.Values.Count(role => role == "leader") == 1
                && roles.ContainsValue("sync_standby"), "a leader and a synchronous standby");
            return cluster;
        }
        catch
        {
            await cluster.DisposeAsync();
            throw;
        }
    }

    /// <summary>The port of the PostgreSQL that leads.</summary>
    public int LeaderPort => _ports[Leader];

    private int Leader { get; set; }

    /// <summary>Hands the lead over to the synchronous standby, in good order.</summary>
    public async Task Switchover()
    {
        var former = Leader;
        var next = (await Roles()).Single(member => member.Value == "sync_standby").Key;
        // With its length, which Patroni wants.
        using var wish = new StringContent(JsonSerializer.Serialize(new { leader = NameOf(former), candidate = NameOf(next) }));
        using var answer = await Http.PostAsync(new Uri($"http://127.0.0.1:{_apiPorts[former]}/switchover"), wish);
        Assert.That(answer.IsSuccessStatusCode, Is.True, await answer.Content.ReadAsStringAsync());
        await Until(async () => await Roles() is var roles && roles.GetValueOrDefault(next) == "leader" && roles.ContainsValue("sync_standby"), "the next member leads");
    }

    /// <summary>Kills the member that leads, with its PostgreSQL, and waits until another leads.</summary>
    public async Task KillLeader()
    {
        var former = Leader;
        var postmaster = int.Parse((await File.ReadAllLinesAsync(Path.Combine(DataOf(former), "postmaster.pid")))[0], System.Globalization.CultureInfo.InvariantCulture);
        _patronis[former]!.Kill();
        using (var server = Process.GetProcessById(postmaster))
            server.Kill(entireProcessTree: true);
        await Until(async () => (await Roles()).Any(member => member.Key != former && member.Value == "leader"), "another member leads");
    }

    public async ValueTask DisposeAsync()
    {
        for (var i = 0; i < Members; i++)
        {
            if (_patronis[i] is not { } member)
                continue;
            // At the first signal Patroni stops its PostgreSQL; what is left is killed.
            if (!member.HasExited)
                DebianPackage.Run("/bin/kill", null, "-TERM", $"{member.Id}");
        }
        foreach (var member in _patronis.OfType<Process>())
        {
            using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(30));
            try
            {
                await member.WaitForExitAsync(limit.Token);
            }
            catch (OperationCanceledException)
            {
                member.Kill(entireProcessTree: true);
            }
            member.Dispose();
        }
        if (_etcd is not null)
        {
            _etcd.Kill();
            await _etcd.WaitForExitAsync();
            _etcd.Dispose();
        }
        Directory.Delete(_folder, recursive: true);
    }

    /// <summary>What the members have logged lately, for a failure.</summary>
    public string Logs() => string.Join('\n', Directory.GetFiles(_folder, "*.log").Select(file => $"== {file}\n{string.Join('\n', File.ReadLines(file).TakeLast(15))}"));

    private static int[] Ports() => [.. Enumerable.Range(0, Members).Select(_ => FreePort.Next())];

    private static string NameOf(int member) => $"m{member}";

    private string DataOf(int member) => Path.Combine(_folder, $"data{member}");

    private Process StartEtcd(string program)
    {
        var peers = FreePort.Next();
        return Start(program, "etcd", new() { ["ETCD_UNSUPPORTED_ARCH"] = "arm64" },
            "--data-dir", Path.Combine(_folder, "etcd"), "--listen-client-urls", $"http://127.0.0.1:{_etcdPort}", "--advertise-client-urls", $"http://127.0.0.1:{_etcdPort}",
            "--listen-peer-urls", $"http://127.0.0.1:{peers}", "--initial-advertise-peer-urls", $"http://127.0.0.1:{peers}", "--initial-cluster", $"default=http://127.0.0.1:{peers}");
    }

    private Process StartMember(string patroni, string binaries, int member)
    {
        var configuration = Path.Combine(_folder, $"{NameOf(member)}.yml");
        // The limits are the lowest that Patroni takes, so that a lost leader is replaced within half a minute.
        File.WriteAllText(configuration, $$"""
            scope: loxo
            name: {{NameOf(member)}}
            restapi: { listen: "127.0.0.1:{{_apiPorts[member]}}", connect_address: "127.0.0.1:{{_apiPorts[member]}}" }
            etcd3: { host: "127.0.0.1:{{_etcdPort}}" }
            bootstrap:
              dcs: { ttl: 20, loop_wait: 2, retry_timeout: 5, maximum_lag_on_failover: 16777216, synchronous_mode: true }
              initdb: [ { encoding: UTF8 }, { auth: trust } ]
            postgresql:
              listen: "127.0.0.1:{{_ports[member]}}"
              connect_address: "127.0.0.1:{{_ports[member]}}"
              data_dir: "{{DataOf(member)}}"
              bin_dir: "{{binaries}}"
              pgpass: "{{Path.Combine(_folder, $"pgpass{member}")}}"
              pg_hba: [ "local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust" ]
              authentication: { superuser: { username: postgres }, replication: { username: replicator } }
              parameters: { unix_socket_directories: "{{_folder}}", shared_buffers: "32MB" }
            """);
        DebianPackage.OpenToAll(configuration);
        return Start(patroni, NameOf(member), [], configuration);
    }

    private Process Start(string program, string name, Dictionary<string, string> environment, params string[] arguments)
    {
        // A shell sends the output to a file: nobody has to read pipes for as long as the program runs.
        var start = new ProcessStartInfo("/bin/sh", ["-c", $"exec \"$0\" \"$@\" > '{Path.Combine(_folder, name)}.log' 2>&1", program, .. arguments])
        {
            WorkingDirectory = _folder,
            Environment = { ["LC_ALL"] = "C", ["HOME"] = _folder },
        };
        if (User is { } user)
            start.UserName = user;
        foreach (var (variable, value) in environment)
            start.Environment[variable] = value;
        return Process.Start(start)!;
    }

    private void GiveAway(string folder)
    {
        if (User is { } user && DebianPackage.Run("/bin/chown", null, user, folder) is { Succeeded: false } result)
            throw new AssertionException(result.Output);
    }

    // As Patroni reports it; empty while no member answers.
    private async Task<Dictionary<int, string>> Roles()
    {
        foreach (var port in _apiPorts)
        {
            try
            {
                var members = (await Http.GetFromJsonAsync<JsonElement>(new Uri($"http://127.0.0.1:{port}/cluster"))).GetProperty("members");
                var roles = members.EnumerateArray().Where(member => member.GetProperty("state").GetString() is "running" or "streaming")
                    .ToDictionary(member => member.GetProperty("name").GetString()![1] - '0', member => member.GetProperty("role").GetString()!);
                Leader = roles.FirstOrDefault(member => member.Value == "leader", new(Leader, "")).Key;
                return roles;
            }
            catch (HttpRequestException)
            {
                // This member is not there, or not yet.
            }
        }
        return [];
    }

    private async Task Until(Func<Task<bool>> isSo, string what)
    {
        for (var waited = Stopwatch.StartNew(); !await isSo(); await Task.Delay(200))
        {
            if (waited.Elapsed > Patience)
                throw new AssertionException($"It did not come true that {what}.\n{Logs()}");
        }
    }
}
