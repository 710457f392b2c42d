using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Loxo.IntegrationTests.Telemetry;

/// <summary>Which category logs what, in which scope, and logging for connections without a data source of their own.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async), NonParallelizable]
public sealed class LogCategoryTests(WaitMode mode) : TelemetryTest(mode)
{
    private ScopedLog _log = new();

    [SetUp]
    public void BeginLog() => _log = new ScopedLog();

    [Test]
    public async Task A_commands_message_has_the_ids_of_its_connection_and_of_itself()
    {
        await using var connection = await OpenFrom(Source("", builder => builder.UseLoggerFactory(_log)));
        await Mode.ExecuteNonQuery(new PgCommand("SELECT 1", connection));
        await Catch<PostgresException>(() => Mode.ExecuteNonQuery(new PgCommand("SELECT 1/0", connection)));
        var (executed, failed) = (_log.Of(2500).Single(), _log.Of(2502).Single());
        Assert.That(executed.Scope["ConnectionId"], Is.EqualTo(connection.ProcessID));
        Assert.That(failed.Scope["ConnectionId"], Is.EqualTo(connection.ProcessID));
        Assert.That((long)failed.Scope["CommandId"], Is.GreaterThan((long)executed.Scope["CommandId"]));
        Assert.That(executed.ScopeText, Does.Match($"^ConnectionId:{connection.ProcessID}, CommandId:[0-9]+$"));
        Assert.That(_log.OpenScopes, Is.Zero);
    }

    [Test]
    public async Task Copies_have_a_category_of_their_own()
    {
        await using var connection = await OpenFrom(Source("", builder => builder.UseLoggerFactory(_log)));
        using (var export = connection.BeginTextExport("COPY (SELECT 1) TO STDOUT"))
            await export.ReadToEndAsync();
        await Catch<PostgresException>(() => Mode.Run(() => { connection.BeginTextExport("COPY missing TO STDOUT"); }, () => connection.BeginTextExportAsync("COPY missing TO STDOUT")));
        Assert.That(_log.Of(2600).Single(), Has.Property("Category").EqualTo("Loxo.Copy").And.Property("Text").Match(@"^Copied in [\d.E-]+ ms: COPY \(SELECT 1\) TO STDOUT$"));
        Assert.That(_log.Of(2600).Single().Scope["ConnectionId"], Is.EqualTo(connection.ProcessID));
        Assert.That(_log.Of(2602).Single().Level, Is.EqualTo(LogLevel.Error));
        Assert.That(_log.Of(2500), Is.Empty);
    }

    [Test]
    public async Task Connections_and_transactions_are_logged()
    {
        int process;
        await using (var connection = await OpenFrom(Source("", builder => builder.UseLoggerFactory(_log))))
        {
            process = connection.ProcessID;
            foreach (var commits in new[] { true, false })
            {
                await using var transaction = await Mode.Run(() => connection.BeginTransaction(), () => connection.BeginTransactionAsync().AsTask());
                await Mode.ExecuteNonQuery(new PgCommand("SELECT 1", connection));
                if (commits)
                    await Mode.Commit(transaction);
            }
        }
        Assert.That(_log.Entries.Where(static entry => entry.EventId is >= 2700 or (>= 2200 and < 2300)).Select(static entry => (entry.Category, entry.EventId)), Is.EqualTo(new[]
        {
            ("Loxo.Connection", 2700), ("Loxo.Transaction", 2202), ("Loxo.Transaction", 2203), ("Loxo.Transaction", 2202), ("Loxo.Transaction", 2204),
            ("Loxo.Connection", 2701),
        }));
        Assert.That(_log.Of(2700).Concat(_log.Of(2701)).Concat(_log.Of(2203)).Select(static entry => entry.Text), Is.All.Contains($"server process {process}"));
    }

    [Test]
    public async Task Connections_of_a_plain_string_log_where_the_program_says()
    {
        PgLoggingConfiguration.InitializeLogging(_log, parameterLoggingEnabled: true);
        try
        {
            // A string that nobody has used before.
            await using var connection = new PgConnection($"{OwnConnectionString};Application Name={Guid.NewGuid():N}");
            await Mode.Open(connection);
            await using var command = new PgCommand("SELECT $1::text", connection) { Parameters = { new PgParameter<string>("shown") } };
            await Mode.ExecuteNonQuery(command);
            Assert.That(_log.Of(2500).Single().Text, Does.Contain("SELECT $1::text").And.EndsWith("['shown']"));
        }
        finally
        {
            PgLoggingConfiguration.InitializeLogging(Microsoft.Extensions.Logging.Abstractions.NullLoggerFactory.Instance);
        }
        Assert.That(() => PgLoggingConfiguration.InitializeLogging(null!), Throws.ArgumentNullException);
    }

    /// <summary>Keeps what is logged, with the scope in which it was.</summary>
    private sealed class ScopedLog : ILoggerFactory
    {
        private readonly ConcurrentQueue<Entry> _entries = [];
        private readonly AsyncLocal<object?> _scope = new();
        private int _openScopes;

        public Entry[] Entries => [.. _entries];

        public int OpenScopes => _openScopes;

        public Entry[] Of(int eventId) => [.. _entries.Where(entry => entry.EventId == eventId)];

        public ILogger CreateLogger(string categoryName) => new Category(this, categoryName);

        public void AddProvider(ILoggerProvider provider)
        {
        }

        public void Dispose()
        {
        }

        private sealed class Category(ScopedLog log, string name) : ILogger
        {
            public IDisposable? BeginScope<TState>(TState state)
                where TState : notnull
            {
                log._scope.Value = state;
                Interlocked.Increment(ref log._openScopes);
                return new Scope(log);
            }

            public bool IsEnabled(LogLevel logLevel) => true;

            public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
            {
                var scope = log._scope.Value as IReadOnlyList<KeyValuePair<string, object>> ?? [];
                log._entries.Enqueue(new Entry(name, eventId.Id, logLevel, formatter(state, exception), scope.ToDictionary(), log._scope.Value?.ToString()));
            }
        }

        private sealed class Scope(ScopedLog log) : IDisposable
        {
            public void Dispose()
            {
                log._scope.Value = null;
                Interlocked.Decrement(ref log._openScopes);
            }
        }

        internal sealed record Entry(string Category, int EventId, LogLevel Level, string Text, Dictionary<string, object> Scope, string? ScopeText);
    }
}
