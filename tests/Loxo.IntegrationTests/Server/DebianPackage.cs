using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace Loxo.IntegrationTests.Server;

/// <summary>Programs of Debian's packages, installed by the first test that needs one, where that is possible.</summary>
internal static class DebianPackage
{
    private const string AptGet = "/usr/bin/apt-get", ServicePolicy = "/usr/sbin/policy-rc.d";

    /// <summary>The path of a program. Where there is none and none can be installed, the test is ignored.</summary>
    /// <param name="name">The name of the program.</param>
    /// <param name="package">The package that it comes in.</param>
    public static string Program(string name, string package)
    {
        if (Find(name) is { } found)
            return found;
        if (!Environment.IsPrivilegedProcess || !File.Exists(AptGet))
            Assert.Ignore($"There is no {name} on PATH. Install it: apt-get install {package}");
        var (succeeded, output) = Install(package);
        if (!succeeded && Run(AptGet, null, "update").Succeeded) // a fresh container has no lists of packages
            (succeeded, output) = Install(package);
        if (!succeeded)
            Assert.Ignore($"There is no {name} on PATH, and apt-get install {package} failed: {output}");
        return Find(name) ?? throw new AssertionException($"The package {package} was installed, and still there is no {name}.");
    }

    /// <summary>Runs a program to its end.</summary>
    /// <param name="program">Its path.</param>
    /// <param name="environment">Variables that it gets in addition; null for none.</param>
    /// <param name="arguments">Its arguments.</param>
    public static (bool Succeeded, string Output) Run(
        string program, IReadOnlyDictionary<string, string>? environment, params string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            Environment = { ["DEBIAN_FRONTEND"] = "noninteractive", ["LC_ALL"] = "C" },
        };
        foreach (var (name, value) in environment ?? new Dictionary<string, string>())
            start.Environment[name] = value;
        using var process = Process.Start(start)!;
        var errors = process.StandardError.ReadToEndAsync();
        var output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return (process.ExitCode == 0, output + errors.Result);
    }

    /// <summary>Lets every user read a file, or look into a folder.</summary>
    public static void OpenToAll(string path)
    {
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(path, (UnixFileMode)Convert.ToInt32("755", 8));
    }

    private static string? Find(string program) => (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator)
        .Append("/usr/sbin")
        .Select(folder => Path.Combine(folder, program))
        .FirstOrDefault(File.Exists);

    // Only the program is wanted; without a policy that forbids it, the package starts a service too (invoke-rc.d(8)).
    private static (bool Succeeded, string Output) Install(string package)
    {
        var hasPolicy = File.Exists(ServicePolicy);
        try
        {
            if (!hasPolicy)
            {
                File.WriteAllText(ServicePolicy, "#!/bin/sh\nexit 101\n");
                OpenToAll(ServicePolicy);
            }
            return Run(AptGet, null, "-o", "DPkg::Lock::Timeout=300", "install", "-y", "--no-install-recommends", package);
        }
        finally
        {
            if (!hasPolicy)
                File.Delete(ServicePolicy);
        }
    }
}

/// <summary>Ports that nobody listens at.</summary>
internal static class FreePort
{
    public static int Next()
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)socket.LocalEndPoint!).Port;
    }

    /// <summary>Whether a program listens at a port now.</summary>
    public static bool HasListener(int port)
    {
        using var client = new TcpClient();
        try
        {
            client.Connect(IPAddress.Loopback, port);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
