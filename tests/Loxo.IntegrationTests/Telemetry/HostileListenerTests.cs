using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;
using Loxo.IntegrationTests.Pool;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Loxo.IntegrationTests.Telemetry;

/// <summary>Listeners and loggers that throw or block, and texts that are hard to show. The commands do not notice.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async), NonParallelizable]
[Category("OneServer")]
public sealed class HostileListenerTests(WaitMode mode) : TelemetryTest(mode)
{
    [Test]
    public async Task Commands_run_whatever_a_listener_to_spans_throws()
    {
        using var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == "Loxo",
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStarted = static _ => throw new InvalidOperationException("started"),
            ActivityStopped = static _ => throw new InvalidOperationException("stopped"),
        };
        ActivitySource.AddActivityListener(listener);
        await AssertAllWorks(Source());
        Assert.That(Activity.Current, Is.Null);
    }

    [Test]
    public async Task Commands_run_whatever_a_listener_to_metrics_throws()
    {
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name == "Loxo")
                    listener.EnableMeasurementEvents(instrument);
            },
        };
        listener.SetMeasurementEventCallback<double>(static (_, _, _, _) => throw new InvalidOperationException("measured"));
        listener.SetMeasurementEventCallback<long>(static (_, _, _, _) => throw new InvalidOperationException("measured"));
        listener.Start();
        await AssertAllWorks(Source());
    }

    [Test]
    public async Task Commands_run_whatever_a_logger_throws([Values] bool inScope) =>
        await AssertAllWorks(Source("", builder => builder.UseLoggerFactory(new ThrowingLog(inScope)).UseSlowCommandThreshold(TimeSpan.Zero)));

    [Test]
    public async Task Commands_run_whatever_functions_of_the_user_throw()
    {
        using var recorder = new Recorder(DatabaseName);
        var thrown = new InvalidOperationException("of the user");
        await AssertAllWorks(Source("", builder => builder.ConfigureTracing(tracing => tracing
            .ConfigureCommandEnrichmentCallback((_, _) => throw thrown).ConfigureCommandSpanNameProvider(_ => throw thrown)
            .ConfigureBatchFilter(_ => throw thrown).ConfigureCopyOperationFilter(_ => throw thrown).EnableTraceContextPropagation())));
    }

    [Test]
    public async Task A_logger_that_blocks_holds_up_its_own_command_alone()
    {
        using var log = new BlockingLog();
        var source = Source(";Maximum Pool Size=4", builder => builder.UseLoggerFactory(log));
        await using var held = await OpenFrom(source);
        await using var other = await OpenFrom(source);
        log.BlocksOn = "SELECT 'held'";
        var blocked = Task.Factory.StartNew(() => Mode.ExecuteScalar(new PgCommand("SELECT 'held'", held)),
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap();
        await log.Entered;
        for (var i = 0; i < 10; i++)
        {
            Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 1", other)), Is.EqualTo(1));
            await using var opened = await OpenFrom(source);
            Assert.That(source.GetPoolSnapshot()!.Connections, Has.Count.GreaterThanOrEqualTo(2));
            Assert.That(source.GetSessionStatistics().Statements, Is.Positive);
        }
        Assert.That(blocked.IsCompleted, Is.False);
        log.Release();
        Assert.That(await blocked, Is.EqualTo("held"));
    }

    [Test]
    public async Task A_logger_that_blocks_on_messages_of_the_pool_holds_up_neither_renters_nor_maintenance()
    {
        using var log = new BlockingLog("Loxo.Pool");
        var source = Source(";Maximum Pool Size=2;Connection Pruning Interval=1;Connection Idle Lifetime=1",
            builder => builder.UseLoggerFactory(log).UseLeakThreshold(TimeSpan.FromMilliseconds(1)));
        log.BlocksOn = "";
        // Opened, one kept for longer than the threshold, one forgotten: its place is taken again and again.
        await using var kept = await OpenFrom(source);
        await log.Entered;
        for (var i = 0; i < 3; i++)
        {
            await Forget(source);
            var waiting = Task.Factory.StartNew(() => OpenFrom(source),
                CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap();
            while (!waiting.IsCompleted)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                await Task.Delay(10);
            }
            await using var next = await waiting;
            Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 1", next)), Is.EqualTo(1));
        }
        // What is idle for too long is closed, and its place is free.
        while (source.GetPoolSnapshot()!.Connections.Count > 1)
            await Task.Delay(10);
        await using (await OpenFrom(source))
            Assert.That(log.Messages, Is.Empty);
        log.Release();
        while (log.Messages.Count(static message => message.Contains("is recovered")) < 3
            || !log.Messages.Any(static message => message.Contains("leak threshold")) || !log.Messages.Any(static message => message.Contains("Idle")))
            await Task.Delay(10);
        Assert.That(log.Messages.First(), Does.Contain("was opened"), "they come in order");
    }

    [Test]
    public async Task Messages_that_a_blocked_logger_does_not_take_are_counted()
    {
        using var log = new BlockingLog("Loxo.Pool") { BlocksOn = "" };
        var source = Source(";Maximum Pool Size=1", builder => builder.UseLoggerFactory(log));
        // Two messages each: opened, and closed.
        for (var i = 0; i < 700; i++)
        {
            await using (await OpenFrom(source))
                source.Clear();
        }
        log.Release();
        while (!log.Messages.Any(static message => message.Contains("400 messages of the pool were dropped")))
            await Task.Delay(10);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private async Task Forget(PgDataSource source) => _ = await OpenFrom(source);

    [Test]
    public async Task Long_texts_and_control_characters_are_shown_cut_and_harm_nothing()
    {
        var log = new CapturedLog();
        var source = Source(";Maximum Pool Size=1", builder => builder.UseLoggerFactory(log).UseLeakThreshold(TimeSpan.FromHours(1)));
        await using var connection = await OpenFrom(source);
        using var recorder = new Recorder(DatabaseName);
        foreach (var text in new[] { $"SELECT 1 /* {new string('x', 1_000_000)} */", "SELECT\u0001\u001b[31m 1", $"SELECT 1 -- \u0007\u001b]0;\r\n, {string.Join(", ", Enumerable.Range(0, 50_000))}" })
        {
            try
            {
                await Mode.ExecuteScalar(new PgCommand(text, connection));
            }
            catch (PostgresException)
            {
                // Not each is SQL.
            }
            Assert.That(source.GetPoolSnapshot()!.Connections.Single().LastStatement, Has.Length.LessThan(3000));
        }
        Assert.That(recorder.Operations, Has.Length.EqualTo(3));
        Assert.That(recorder.Operations.Select(static span => ((string)span.GetTagItem("db.query.text")!).Length), Is.All.LessThan(9000));
        Assert.That(recorder.Operations.Select(static span => ((string)span.GetTagItem("db.query.summary")!).Length), Is.All.LessThanOrEqualTo(255));
        Assert.That(log.Of(2500).Concat(log.Of(2502)).Select(static entry => entry.Text.Length), Is.All.LessThan(3000));
    }

    [Test]
    public async Task Ten_thousand_different_statements_leave_a_bounded_number_of_entries()
    {
        var source = Source(";Maximum Pool Size=1;Auto Prepare Min Usages=1;Max Auto Prepare=20",
            builder => builder.ConfigureTracing(static tracing => tracing.EnableTraceContextPropagation()));
        await using var connection = await OpenFrom(source);
        using var recorder = new Recorder(DatabaseName, traces: true, measures: true);
        await using var command = new PgCommand { Connection = connection };
        for (var i = 0; i < 10_000; i++)
        {
            command.CommandText = $"SELECT {i} FROM products WHERE id = 1";
            await Mode.ExecuteNonQuery(command);
        }
        await using var count = new PgCommand("SELECT count(*) FROM pg_prepared_statements", connection);
        Assert.That(await Mode.ExecuteScalar(count), Is.InRange(1L, 22L), "on the server");
        Assert.That(connection.Session!.Statements.Count, Is.LessThanOrEqualTo(21), "in the session");
        Assert.That(source.SqlTexts.Count, Is.LessThanOrEqualTo(1024), "lexed texts with their summaries");
        Assert.That(recorder.Of("db.client.operation.duration").Select(static one => string.Join(',', one.Tags)).Distinct().Count(), Is.LessThanOrEqualTo(1),
            "no attribute of a metric grows with the statements");
    }

    // Commands, batches, copies, errors, transactions, waits and the end of all.
    private async Task AssertAllWorks(PgDataSource source)
    {
        for (var round = 0; round < 2; round++)
        {
            await using var connection = await OpenFrom(source);
            Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 42", connection)), Is.EqualTo(42));
            await Catch<PostgresException>(() => Mode.ExecuteNonQuery(new PgCommand("SELECT 1/0", connection)));
            await using var batch = new PgBatch(connection) { BatchCommands = { new("SELECT 1"), new("SELECT 2") } };
            await Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync());
            using (var reader = connection.BeginTextExport("COPY (SELECT 1) TO STDOUT"))
                Assert.That(await reader.ReadToEndAsync(), Does.StartWith("1"));
            await using var transaction = await Mode.Run(() => connection.BeginTransaction(), () => connection.BeginTransactionAsync().AsTask());
            await Mode.ExecuteNonQuery(new PgCommand("SELECT 1", connection));
            await Mode.Rollback(transaction);
        }
        source.Clear();
        await Catch<PgException>(() => Mode.ExecuteNonQuery(source.CreateCommand("SELECT pg_terminate_backend(pg_backend_pid())")));
        Assert.That(await Mode.ExecuteScalar(source.CreateCommand("SELECT 42")), Is.EqualTo(42));
    }

    private sealed class ThrowingLog(bool inScope) : ILoggerFactory, ILogger
    {
        public ILogger CreateLogger(string categoryName) => this;

        public void AddProvider(ILoggerProvider provider)
        {
        }

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => inScope ? throw new InvalidOperationException("scope") : null;

        public bool IsEnabled(LogLevel logLevel) => inScope ? true : throw new InvalidOperationException("level");

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            throw new InvalidOperationException("log");

        public void Dispose()
        {
        }
    }

    private sealed class BlockingLog(string? category = null) : ILoggerFactory, ILogger
    {
        private readonly ConcurrentQueue<string> _messages = new();
        private readonly TaskCompletionSource _entered = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly ManualResetEventSlim _released = new();

        public string? BlocksOn { get; set; }

        public Task Entered => _entered.Task;

        /// <summary>The messages that it has let through.</summary>
        public IReadOnlyCollection<string> Messages => _messages;

        public void Release() => _released.Set();

        public ILogger CreateLogger(string categoryName) =>
            category is null || categoryName == category ? this : NullLogger.Instance;

        public void AddProvider(ILoggerProvider provider)
        {
        }

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            var message = formatter(state, exception);
            if (BlocksOn is not null && message.Contains(BlocksOn, StringComparison.Ordinal))
            {
                _entered.TrySetResult();
                _released.Wait();
            }
            _messages.Enqueue(message);
        }

        public void Dispose() => _released.Set();
    }
}
