using System.Runtime.InteropServices;

namespace Loxo.Benchmarks.Reporting;

/// <summary>What the figures depend on besides the code.</summary>
internal sealed record MachineFacts(string Date, string Cpu, string Kernel, string Runtime, string Postgres, string Npgsql, string Cores = "")
{
    public static MachineFacts Read(string postgres) => new(
        DateTime.UtcNow.ToString("yyyy-MM-dd"),
        CpuModel(),
        File.Exists("/proc/sys/kernel/osrelease") ? File.ReadAllText("/proc/sys/kernel/osrelease").Trim() : RuntimeInformation.OSDescription,
        RuntimeInformation.FrameworkDescription,
        postgres,
        typeof(global::Npgsql.NpgsqlConnection).Assembly.GetName().Version!.ToString(3),
        Measuring.AllCores.Names);

    private static string CpuModel() => File.Exists("/proc/cpuinfo")
        ? File.ReadLines("/proc/cpuinfo").FirstOrDefault(line => line.StartsWith("model name", StringComparison.Ordinal))?.Split(':')[1].Trim() ?? "unknown"
        : "unknown";
}
