using System.Collections.Concurrent;
using Loxo.Tests.Wire;
using Microsoft.Extensions.Logging;

namespace Loxo.Tests.Pool;

/// <summary>Pools of servers that cannot reset a session as PostgreSQL does: no caller pays for it with an error.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class ServerProfilePoolTests(WaitMode mode) : WireTest(mode)
{
    private const string Pooled = "Pooling=true;Maximum Pool Size=1;Session Reset=";
    private const int Uses = 5;

    private static IEnumerable<ServerProfile> All => ServerProfile.All;

    [TestCaseSource(nameof(All))]
    public async Task Nobody_gets_an_error_or_a_session_that_was_not_reset(ServerProfile profile)
    {
        var servers = Server.Play(profile, ConnectionsOf(profile));
        using var log = new RecordedLog();
        await using (var source = Server.DataSource(Pooled + "Auto", log))
        {
            for (var i = 0; i < Uses; i++)
                await UseOnce(source, i);
            Assert.That(source.GetPoolStatistics(), Has.Property("Total").LessThanOrEqualTo(1));
        }
        Assert.That(Server.Connections, Is.EqualTo(ConnectionsOf(profile)));
        foreach (var server in servers)
            AssertResetBetween(server.Seen, profile);
        while (log.Count(2012) + log.Count(2011) < ExpectedWarnings(profile))
            await Task.Delay(1);
        Assert.That(log.Count(2011), Is.EqualTo(IsRefused(profile) ? 1 : 0), "DISCARD ALL instead");
        Assert.That(log.Count(2012), Is.EqualTo(profile.CanBeReset ? 0 : 1), "no reset at all");
        Assert.That(log.Count(2006), Is.LessThanOrEqualTo(1), "said once that the database cannot be looked through");
    }

    [TestCaseSource(nameof(All))]
    public async Task Under_Never_one_session_serves_all_uses(ServerProfile profile)
    {
        var servers = Server.Play(profile);
        await using var source = Server.DataSource(Pooled + "Never");
        for (var i = 0; i < Uses; i++)
            await UseOnce(source, i);
        Assert.That(servers[0].Seen, Is.EqualTo(Enumerable.Range(0, Uses).Select(i => $"SELECT {i}")));
    }

    [Test]
    public async Task A_statement_that_DISCARD_ALL_forgot_is_prepared_again()
    {
        var profile = ServerProfile.CockroachDb22;
        var servers = Server.Play(profile, connections: 2);
        await using var source = Server.DataSource(Pooled + "Always;Max Auto Prepare=10;Auto Prepare Min Usages=1");
        for (var i = 0; i < Uses; i++)
            await UseOnce(source, value: 7);
        Assert.That(servers[1].Seen.Where(sql => sql is "SELECT 7" or "DISCARD ALL").Take(4), Is.EqualTo(new[] { "SELECT 7", "DISCARD ALL", "SELECT 7", "DISCARD ALL" }));
    }

    private static bool IsRefused(ServerProfile profile) => profile.ErrorOf("UNLISTEN *; SELECT pg_advisory_unlock_all(); DISCARD TEMP") is not null;

    private static int ExpectedWarnings(ServerProfile profile) => (IsRefused(profile) ? 1 : 0) + (profile.CanBeReset ? 0 : 1);

    // The first session is lost by the refusal, and so is the second if DISCARD ALL is refused too; then each is closed.
    private static int ConnectionsOf(ServerProfile profile) => !profile.CanBeReset ? Uses : IsRefused(profile) ? 2 : 1;

    private static void AssertResetBetween(IReadOnlyList<string> seen, ServerProfile profile)
    {
        var isReset = true;
        foreach (var sql in seen)
        {
            if (sql.StartsWith("SELECT ", StringComparison.Ordinal) && char.IsAsciiDigit(sql[^1]))
            {
                // Where the database has been looked through, plain statements need no reset.
                Assert.That(isReset || profile.ErrorOf("AS MATERIALIZED LATERAL pg_catalog ;") is null, Is.True, string.Join('\n', seen));
                isReset = false;
            }
            else if (sql == "DISCARD ALL" || sql.Contains("RESET ALL", StringComparison.Ordinal))
            {
                isReset |= profile.ErrorOf(sql) is null;
            }
        }
    }

    private async Task UseOnce(PgDataSource source, int value)
    {
        await using var connection = source.CreateConnection();
        await Mode.Open(connection);
        await using var command = new PgCommand($"SELECT {value}", connection);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(value));
        await Mode.Close(connection);
    }

    private sealed class RecordedLog : ILoggerFactory, ILogger
    {
        private readonly ConcurrentQueue<int> _events = [];

        public int Count(int eventId) => _events.Count(one => one == eventId);

        public ILogger CreateLogger(string categoryName) => this;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            _events.Enqueue(eventId.Id);

        public bool IsEnabled(LogLevel logLevel) => true;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public void AddProvider(ILoggerProvider provider)
        {
        }

        public void Dispose()
        {
        }
    }
}
