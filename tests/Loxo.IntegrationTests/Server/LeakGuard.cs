using System.Collections.Concurrent;
using Loxo.Pool;

namespace Loxo.IntegrationTests.Server;

/// <summary>
/// Runs the suite under <c>Session Reset=Verify</c> where <c>LOXO_TEST_SESSION_RESET</c> says so: a test fails if a session of any database was reported
/// since the one before it, unless the database was named with a reason (<see cref="Expect"/>). Tests of another mode name that in their connection strings, and
/// tests with a proxy, which count bytes and messages, keep the default.
/// </summary>
public static class LeakGuard
{
    private static readonly ConcurrentQueue<string> Leaks = [];

    private static readonly ConcurrentDictionary<string, string> Expected = [];

    // No session has them, so no mode of its reset finds them. The views show those of all databases.
    private const string LeftOnServer = """
        SELECT string_agg(found, ', ' ORDER BY found) FROM (
            SELECT 'prepared transaction ' || gid || ' in ' || database FROM pg_prepared_xacts
            UNION ALL
            SELECT 'replication slot ' || slot_name FROM pg_replication_slots WHERE NOT temporary AND NOT active) l (found)
        """;

    // Reported once, not by every test that follows.
    private static string? _found;
    private static string? _left;

    static LeakGuard() => PgDataSource.SessionLeaked += static (_, leak) =>
    {
        if (!Expected.ContainsKey(leak.Database))
            Leaks.Enqueue($"in {leak.Database}: {string.Join("; ", leak.Differences)} after\n{string.Join(";\n", leak.Statements)}");
    };

    /// <summary>The end of a connection string, with the semicolon in front; empty where the default is wanted.</summary>
    public static string Mode { get; } = Environment.GetEnvironmentVariable("LOXO_TEST_SESSION_RESET") is { Length: > 0 } mode ? $";Session Reset={mode}" : "";

    /// <summary>The test leaves something behind in sessions of a database of its own, on purpose.</summary>
    /// <param name="database">Its name.</param>
    /// <param name="reason">Why.</param>
    public static void Expect(string database, string reason) => Expected[database] = reason;

    /// <summary>
    /// Fails if the database that the tests share has come to hide something from Auto: no session would be judged from then on. A test that
    /// makes such a function or type uses a database of its own (<see cref="TestDatabase"/>).
    /// </summary>
    public static void AssertSharedDatabaseIsClean()
    {
        if (Mode.Length == 0)
            return;
        AssertNothingNew(
            Find($"SELECT concat_ws(' ', found, why) FROM ({DatabaseAudit.Query}) a (found, why) WHERE found IS NOT NULL"), ref _found,
            "The audit of the database 'postgres' finds something that this test, or one before it, has left behind.");
        AssertNothingNew(Find(LeftOnServer), ref _left, "This test, or one before it, has left something behind on the server.");
    }

    /// <summary>Fails if a session was reported. The answer is read by its next renter, so that the culprit may be an earlier test.</summary>
    public static void AssertNoLeak()
    {
        var leaks = new List<string>();
        while (Leaks.TryDequeue(out var leak))
            leaks.Add(leak);
        Assert.That(leaks, Is.Empty, "Session Reset=Auto would have left something to the next renter.");
    }

    private static void AssertNothingNew(string? found, ref string? known, string message)
    {
        if (found == known)
            return;
        known = found;
        Assert.That(found, Is.Null, message);
    }

    private static string? Find(string sql)
    {
        using var connection = new PgConnection(TestServer.Default.ConnectionString + ";Session Reset=Never;Application Name=leak_guard");
        connection.Open();
        using var command = new PgCommand(sql, connection);
        return command.ExecuteScalar() as string;
    }
}
