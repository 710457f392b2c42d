using System.ComponentModel;
using System.Runtime.InteropServices;
using Loxo.IntegrationTests.Server;

namespace Loxo.IntegrationTests.Hosts;

/// <summary>
/// Hosts with a network namespace each, joined by a bridge. A host that is cut off answers nothing, not even with a reset: what is sent to it
/// vanishes, as on a network that is split.
/// </summary>
internal sealed class Network : IDisposable
{
    private const string Ip = "/usr/sbin/ip";
    private const int NetworkNamespace = 0x40000000; // CLONE_NEWNET, setns(2)

    private static int _made;

    // Names of interfaces have 15 characters at most. Tests for several servers run in several processes, and what has been deleted may be
    // there for a while.
    private readonly string _name = $"lx{Environment.ProcessId}{(char)('a' + Interlocked.Increment(ref _made) % 26)}";
    private readonly string _prefix = $"10.{64 + Environment.ProcessId % 128}.{Environment.ProcessId / 128 % 256}.";
    private readonly int _hosts;

    private Network(int hosts) => _hosts = hosts;

    private string Bridge => _name + "b";

    /// <summary>Makes the network. The test is ignored where that cannot be done.</summary>
    public static Network Create(int hosts)
    {
        if (!OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess || !File.Exists(Ip))
            Assert.Ignore("Networks are split by network namespaces: Linux, root and the package iproute2 are needed for that.");
        var network = new Network(hosts);
        try
        {
            network.Build();
            return network;
        }
        catch (NotPermittedException e)
        {
            network.Dispose();
            Assert.Ignore($"This machine does not allow network namespaces: {e.Message}");
            throw;
        }
        catch
        {
            network.Dispose();
            throw;
        }
    }

    /// <summary>The address of a host, which the test reaches and the other hosts.</summary>
    public string AddressOf(int host) => $"{_prefix}{host + 10}";

    /// <summary>A line of pg_hba.conf that lets everybody of this network in.</summary>
    public string[] HbaLines => [$"host all all {_prefix}0/24 trust", $"host replication all {_prefix}0/24 trust"];

    /// <summary>Cuts a host off from all others: its packets vanish.</summary>
    public void Cut(int host) => Run("link", "set", LinkOf(host), "down");

    /// <summary>Joins a host to the others again.</summary>
    public void Join(int host) => Run("link", "set", LinkOf(host), "up");

    /// <summary>Works on a host. Programs that are started there stay there.</summary>
    public T On<T>(int host, Func<T> work)
    {
        var result = Task.Factory.StartNew(() =>
        {
            // The thread belongs to that host until it ends; it is not one of the pool's.
            using var place = File.OpenHandle($"/run/netns/{NamespaceOf(host)}");
            if (SetNs(place.DangerousGetHandle().ToInt32(), NetworkNamespace) != 0)
                throw new Win32Exception();
            return work();
        }, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        return result.GetAwaiter().GetResult();
    }

    /// <inheritdoc cref="On{T}"/>
    public void On(int host, Action work) => On(host, () =>
    {
        work();
        return true;
    });

    public void Dispose()
    {
        for (var host = 0; host < _hosts; host++)
        {
            DebianPackage.Run(Ip, null, "link", "delete", LinkOf(host));
            DebianPackage.Run(Ip, null, "netns", "delete", NamespaceOf(host));
        }
        DebianPackage.Run(Ip, null, "link", "delete", Bridge);
    }

    private void Build()
    {
        Run("link", "add", Bridge, "type", "bridge");
        Run("address", "add", $"{_prefix}1/24", "dev", Bridge);
        Run("link", "set", Bridge, "up");
        for (var host = 0; host < _hosts; host++)
        {
            Run("netns", "add", NamespaceOf(host));
            Run("link", "add", LinkOf(host), "type", "veth", "peer", "name", "eth0", "address", HardwareOf(host), "netns", NamespaceOf(host));
            Run("link", "set", LinkOf(host), "master", Bridge, "up");
            Run("-n", NamespaceOf(host), "address", "add", $"{AddressOf(host)}/24", "dev", "eth0");
            Run("-n", NamespaceOf(host), "link", "set", "eth0", "up");
            Run("-n", NamespaceOf(host), "link", "set", "lo", "up");
            // Without it the kernel would notice after a second that nobody has that address, and say so.
            Run("neighbour", "replace", AddressOf(host), "lladdr", HardwareOf(host), "nud", "permanent", "dev", Bridge);
        }
    }

    private string NamespaceOf(int host) => $"{_name}n{host}";

    private string LinkOf(int host) => $"{_name}v{host}";

    private static string HardwareOf(int host) => $"02:00:00:00:00:{host + 10:x2}";

    private static void Run(params string[] arguments)
    {
        var (succeeded, output) = DebianPackage.Run(Ip, null, arguments);
        if (succeeded)
            return;
        var message = $"ip {string.Join(' ', arguments)}: {output.Trim()}";
        throw output.Contains("not permitted", StringComparison.Ordinal) || output.Contains("not supported", StringComparison.Ordinal)
            ? new NotPermittedException(message)
            : new AssertionException(message);
    }

    [DllImport("libc", EntryPoint = "setns", SetLastError = true)]
    private static extern int SetNs(int descriptor, int kind);

    private sealed class NotPermittedException(string message) : Exception(message);
}
