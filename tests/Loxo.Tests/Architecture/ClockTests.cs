namespace Loxo.Tests.Architecture;

/// <summary>
/// The machine's clock may be set at any moment, so what takes how long, and what is due, is measured by a clock that only goes forward
/// (<see cref="TimeProvider.GetTimestamp"/>, <see cref="Environment.TickCount64"/>).
/// </summary>
public class ClockTests
{
    // The files that ask what time it is, each with the reason.
    private static readonly Dictionary<string, string> _asking = new()
    {
        ["src/Loxo/Session/ExpiringCredential.cs"] = "a credential says when it ends",
        ["src/Loxo/Transport/CertificateCheck.cs"] = "so does a certificate",
        ["src/Loxo/Replication/ReplicationStatus.cs"] = "the server is told the time",
        ["src/Loxo/Diagnostics/StatementCounters.cs"] = "shown; reckoned back from now by the other clock",
        ["src/Loxo/Diagnostics/TelemetryTarget.cs"] = "shown; reckoned back from now by the other clock",
        ["src/Loxo.Pooling/Core/Opener.cs"] = "shown with an error",
        ["src/Loxo.AspNetCore/Dashboard/DashboardState.cs"] = "shown, and never less than zero",
    };

    [Test]
    public void Only_what_shows_a_time_or_is_given_one_asks_what_time_it_is()
    {
        var asking = new[] { "src/Loxo", "src/Loxo.Pooling", "src/Loxo.AspNetCore", "src/Loxo.DependencyInjection", "src/Loxo.OpenTelemetry" }
            .SelectMany(Repository.Files).Where(static file => file.EndsWith(".cs", StringComparison.Ordinal))
            .Where(static file => File.ReadLines(file).Any(static line => !line.Contains("//") && !line.TrimStart().StartsWith('"')
                && (line.Contains("UtcNow") || line.Contains("DateTime.Now") || line.Contains("DateTimeOffset.Now") || line.Contains("GetLocalNow"))))
            .Select(Repository.Relative);
        Assert.That(asking, Is.EquivalentTo(_asking.Keys));
    }
}
