using System.Collections.Concurrent;
using Loxo.Pool;

namespace Loxo.IntegrationTests.Server;

/// <summary>
/// Runs the suite under <c>Session Reset=Verify</c> where <c>LOXO_TEST_SESSION_RESET</c> says so: a test fails if a session was reported since the
/// one before it. Tests of another mode name that in their connection strings, and
/// tests with a proxy, which count bytes and messages, keep the default.
/// </summary>
public static class LeakGuard
{
    private static readonly ConcurrentQueue<string> Leaks = [];

    // Reported once, not by every test that follows.
    private static string? _found;

    static LeakGuard() => PgDataSource.SessionLeaked += static (_, leak) =>
    {
        // Other databases are of tests that leave something behind on purpose.
        if (leak.Database == "postgres")
            Leaks.Enqueue($"{string.Join("; ", leak.Differences)} after\n{string.Join(";\n", leak.Statements)}");
    };

    /// <summary>The end of a connection string, with the semicolon in front; empty where the default is wanted.</summary>
    public static string Mode { get; } = Environment.GetEnvironmentVariable("LOXO_TEST_SESSION_RESET") is { Length: > 0 } mode ? $";Session Reset={mode}" : "";

    /// <summary>
    /// Fails if the database that the tests share has come to hide something from Auto: no session would be judged from then on. A test that
    /// makes such a function or type uses a database of its own (<see cref="TestDatabase"/>).
    /// </summary>
    public static void AssertSharedDatabaseIsClean()
    {
        if (Mode.Length == 0)
            return;
        var found = Find();
        if (found == _found)
            return;
        _found = found;
        Assert.That(found, Is.Null, "The audit of the database 'postgres' finds something that this test, or one before it, has left behind.");
    }

    /// <summary>Fails if a session was reported. The answer is read by its next renter, so that the culprit may be an earlier test.</summary>
    public static void AssertNoLeak()
    {
        var leaks = new List<string>();
        while (Leaks.TryDequeue(out var leak))
            leaks.Add(leak);
        Assert.That(leaks, Is.Empty, "Session Reset=Auto would have left something to the next renter.");
    }

    private static string? Find()
    {
        using var connection = new PgConnection(TestServer.Default.ConnectionString + ";Session Reset=Never;Application Name=leak_guard");
        connection.Open();
        using var command = new PgCommand($"SELECT concat_ws(' ', found, why) FROM ({DatabaseAudit.Query}) a (found, why) WHERE found IS NOT NULL", connection);
        return command.ExecuteScalar() as string;
    }
}
