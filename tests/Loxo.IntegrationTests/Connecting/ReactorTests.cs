using System.Diagnostics;
using System.Runtime.CompilerServices;
using Loxo.IntegrationTests.Cancellation;
using Loxo.Transport;

namespace Loxo.IntegrationTests.Connecting;

/// <summary>Asynchronous calls over the reactor: where the code behind them goes on, and what becomes of others while it keeps the thread.</summary>
[Platform("Linux")]
public sealed class ReactorTests
{
    private const string LoopName = "Loxo loop";
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    private static readonly string[] Engines =
        ["Async Engine=Sockets", "Async Engine=Reactor;Reactor Loops=1", "Async Engine=Reactor;Reactor Loops=1;Reactor Continuations=ThreadPool"];

    private readonly List<PgDataSource> _sources = [];
    private readonly AsyncLocal<string> _local = new();

    [TearDown]
    public async Task Close()
    {
        foreach (var source in _sources)
            await source.DisposeAsync();
        _sources.Clear();
    }

    [Test]
    public async Task A_caller_goes_on_where_the_settings_say([Values] ReactorContinuations continuations)
    {
        await LeaveContext();
        await using var source = Source($"Async Engine=Reactor;Reactor Continuations={continuations}");
        await using var connection = await source.OpenConnectionAsync();
        var threads = new HashSet<(string?, bool)>();
        var wanted = continuations == ReactorContinuations.Inline ? (LoopName, false) : ((string?)null, true);
        // Callers that take long go on in the thread pool for a second, and so do those whose code has yet to be compiled.
        for (var i = 0; i < 20 || (!threads.Contains(wanted) && i < 10_000); i++)
        {
            Assert.That(await Query(connection, i), Is.EqualTo(i));
            threads.Add((Thread.CurrentThread.Name == LoopName ? LoopName : null, Thread.CurrentThread.IsThreadPoolThread));
            if (i >= 20)
                await Task.Delay(1);
        }
        Assert.That(threads, Does.Contain(wanted));
        if (continuations == ReactorContinuations.ThreadPool)
            Assert.That(threads, Has.Count.EqualTo(1));
    }

    // Each keeps the thread that it goes on on, in another way, until the others have done all their work.
    private static readonly (string Name, Action<PgConnection, ManualResetEventSlim> Keep)[] Keepers =
    [
        ("blocks", static (_, done) => done.Wait()),
        ("computes", static (_, done) =>
        {
            while (!done.IsSet)
                Thread.SpinWait(100);
        }),
        ("waits for a query of the same loop", static (connection, done) =>
        {
            while (!done.IsSet)
                Query(connection, 5).GetAwaiter().GetResult();
        }),
        ("runs blocking commands", static (connection, done) =>
        {
            using var command = new PgCommand("SELECT 5", connection);
            while (!done.IsSet)
                command.ExecuteScalar();
        }),
        ("opens connections and blocks", static (connection, done) =>
        {
            while (!done.IsSet)
            {
                using var another = new PgConnection(connection.ConnectionString);
                another.OpenAsync().GetAwaiter().GetResult();
            }
        }),
    ];

    private static IEnumerable<string> Names => Keepers.Select(static keeper => keeper.Name);

    [Test]
    public Task A_caller_that_keeps_its_thread_holds_up_nobody([ValueSource(nameof(Names))] string name, [ValueSource(nameof(Engines))] string engine) =>
        WhileOthersKeep(engine, Array.Find(Keepers, keeper => keeper.Name == name).Keep, static done => done >= 300);

    // Longer than the second for which a connection is expected to keep its thread.
    [Test]
    public async Task Others_go_on_while_a_caller_sleeps_for_ten_seconds([ValueSource(nameof(Engines))] string engine)
    {
        var asleep = 2;
        await WhileOthersKeep(engine, (_, done) =>
        {
            Thread.Sleep(10_000);
            Interlocked.Decrement(ref asleep);
            done.Wait();
        }, done => done >= 300 && Volatile.Read(ref asleep) == 0);
    }

    /// <summary>Two keep the threads of the engine that they go on on until four others have done enough.</summary>
    private async Task WhileOthersKeep(string engine, Action<PgConnection, ManualResetEventSlim> keep, Func<int, bool> isEnough)
    {
        await LeaveContext();
        var source = Source(engine);
        using var done = new ManualResetEventSlim();
        using var begun = new CountdownEvent(2);
        // Each begins on another thread: an answer that is there at once would let the first keep this one.
        var keepers = Enumerable.Range(0, 2).Select(_ => Task.Run(Keep)).ToArray();
        try
        {
            Assert.That(await Task.Run(() => begun.Wait(Patience)), Is.True);
            await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => Work())).WaitAsync(Patience);
            Assert.That(keepers.Where(static keeper => keeper.IsCompleted), Is.Empty);
        }
        finally
        {
            done.Set();
        }
        await Task.WhenAll(keepers).WaitAsync(Patience);

        async Task Keep()
        {
            await using var connection = await source.OpenConnectionAsync();
            // A caller whose code has yet to be compiled takes long, and goes on elsewhere for a second.
            for (var i = 0; i == 0 || !IsOnThreadOf(engine); i++)
            {
                Assert.That(i, Is.LessThan(20_000), "it goes on on no thread of the engine");
                await Task.Delay(i == 0 ? 0 : 1);
                await Query(connection, i);
            }
            begun.Signal();
            keep(connection, done);
            Assert.That(await Query(connection, 2), Is.EqualTo(2));
        }

        async Task Work()
        {
            for (var i = 0; !isEnough(i); i++)
            {
                await using var connection = await source.OpenConnectionAsync();
                Assert.That(await Query(connection, i), Is.EqualTo(i));
            }
        }
    }

    // A thread of a loop that resumes a caller apart leads nothing: keeping it would hold up nobody anyway.
    private static bool IsOnThreadOf(string engine) => engine == Engines[1]
        ? Thread.CurrentThread.Name == LoopName && LoopThread.Current is { Loop: not null }
        : Thread.CurrentThread.IsThreadPoolThread;

    [Test]
    public async Task Answers_that_have_arrived_do_not_deepen_the_stack([ValueSource(nameof(Engines))] string engine, [Values] bool waitTogether)
    {
        const int Answers = 100_000;
        await LeaveContext();
        await using var connection = await Source(engine).OpenConnectionAsync();
        await using var pipeline = connection.CreatePipeline();
        using var command = new PgCommand("SELECT 1", connection);
        var results = Enumerable.Range(0, Answers).Select(_ => pipeline.AddScalar<int>(command)).ToArray();
        if (waitTogether)
        {
            // The one that receives lets the next one go on, and so on.
            await Task.WhenAll(results.Select(Take)).WaitAsync(Patience);
            return;
        }
        await results[^1].GetResultAsync();
        foreach (var result in results[..^1])
            await Take(result);

        static async Task Take(PgPipelineResult<int> result)
        {
            Assert.That(await result.GetResultAsync(), Is.EqualTo(1));
            if (!RuntimeHelpers.TryEnsureSufficientExecutionStack())
                Assert.Fail("the stack is full");
        }
    }

    [Test]
    public async Task Contexts_go_with_the_caller([ValueSource(nameof(Engines))] string engine)
    {
        await LeaveContext();
        var source = Source(engine);
        await Task.WhenAll(Enumerable.Range(0, 8).Select(async number =>
        {
            _local.Value = $"caller {number}";
            await using var connection = await source.OpenConnectionAsync();
            for (var i = 0; i < 50; i++)
            {
                await Query(connection, i);
                Assert.That(_local.Value, Is.EqualTo($"caller {number}"));
                Assert.That(SynchronizationContext.Current, Is.Null);
            }
        })).WaitAsync(Patience);
        await SingleThreadContext.Run(async () =>
        {
            var thread = Environment.CurrentManagedThreadId;
            await using var connection = await source.OpenConnectionAsync();
            for (var i = 0; i < 50; i++)
            {
                await Query(connection, i);
                Assert.That(Environment.CurrentManagedThreadId, Is.EqualTo(thread));
            }
        }).WaitAsync(Patience);
        var scheduler = new ConcurrentExclusiveSchedulerPair().ExclusiveScheduler;
        await Task.Factory.StartNew(async () =>
        {
            await using var connection = await source.OpenConnectionAsync();
            for (var i = 0; i < 50; i++)
            {
                await Query(connection, i);
                Assert.That(TaskScheduler.Current, Is.SameAs(scheduler));
            }
        }, CancellationToken.None, TaskCreationOptions.None, scheduler).Unwrap().WaitAsync(Patience);
    }

    [Test]
    public async Task A_context_that_a_caller_leaves_behind_reaches_no_other()
    {
        await LeaveContext();
        var source = Source(Engines[1]);
        await Task.WhenAll(Enumerable.Range(0, 8).Select(async number =>
        {
            await using var connection = await source.OpenConnectionAsync();
            for (var i = 0; i < 100; i++)
            {
                await Query(connection, i).ConfigureAwait(false);
                if (number > 0)
                    Assert.That(SynchronizationContext.Current, Is.Null);
                else
                    SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
            }
        })).WaitAsync(Patience);
    }

    [Test]
    public async Task A_session_goes_from_one_wait_mode_to_the_other_at_any_time([ValueSource(nameof(Engines))] string engine)
    {
        await LeaveContext();
        await using var connection = await Source(engine).OpenConnectionAsync();
        var random = new Random(7);
        for (var i = 0; i < 500; i++)
        {
            await using var command = new PgCommand($"SELECT i FROM generate_series(1, {random.Next(1, 5_000)}) i", connection);
            var count = 0;
            await using (var reader = random.Next(2) == 0 ? command.ExecuteReader() : await command.ExecuteReaderAsync())
            {
                while (random.Next(2) == 0 ? reader.Read() : await reader.ReadAsync())
                    Assert.That(reader.GetInt32(0), Is.EqualTo(++count));
            }
            await using var size = new PgCommand($"SELECT {count}", connection);
            Assert.That(random.Next(2) == 0 ? size.ExecuteScalar() : await size.ExecuteScalarAsync(), Is.EqualTo(count));
        }
    }

    [Test]
    public async Task A_child_process_has_none_of_its_handles()
    {
        await using var connection = await Source(Engines[1]).OpenConnectionAsync();
        await Query(connection, 1);
        using var child = Process.Start("sleep", "60");
        try
        {
            var handles = Directory.GetFiles($"/proc/{child.Id}/fd").Select(Target).ToArray();
            Assert.That(handles, Has.None.Contains("socket").And.None.Contains("eventpoll"));
        }
        finally
        {
            child.Kill();
        }

        static string Target(string handle)
        {
            try
            {
                return File.ResolveLinkTarget(handle, false)?.ToString() ?? "";
            }
            catch (FileNotFoundException)
            {
                // The child has closed it meanwhile: it loads its libraries.
                return "";
            }
        }
    }

    /// <summary>How long others wait while callers keep their threads. Nothing is compared: the figures are for the reader.</summary>
    [Test, Category("Long"), Category("OneServer")]
    public async Task The_others_wait_for_so_long()
    {
        foreach (var keeper in new string?[] { null, "sleeps 50 ms", "computes for 20 ms" })
        {
            foreach (var engine in Engines)
            {
                var times = await Latencies(Source(engine + ";Maximum Pool Size=12"), keeper);
                TestContext.Out.WriteLine(FormattableString.Invariant(
                    $"{keeper ?? "nobody keeps a thread",-24} {engine,-80} median {times[times.Count / 2]:0.000} ms, 99.9 % {times[times.Count * 999 / 1000]:0.000} ms"));
                Assert.That(times, Has.Count.GreaterThan(100));
            }
        }
    }

    private static async Task<List<double>> Latencies(PgDataSource source, string? keeper)
    {
        await LeaveContext();
        using var stop = new CancellationTokenSource(TimeSpan.FromSeconds(5));
        var keepers = keeper is null ? [] : Enumerable.Range(0, 4).Select(_ => Task.Run(Keep)).ToArray();
        var times = await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => Task.Run(Others)));
        await Task.WhenAll(keepers);
        return [.. times.SelectMany(static list => list).Order()];

        async Task Keep()
        {
            await using var connection = await source.OpenConnectionAsync();
            while (!stop.IsCancellationRequested)
            {
                await Query(connection, 1);
                if (keeper!.StartsWith("sleeps", StringComparison.Ordinal))
                    Thread.Sleep(50);
                else
                    SpinWait.SpinUntil(static () => false, 20);
            }
        }

        async Task<List<double>> Others()
        {
            var times = new List<double>();
            await using var connection = await source.OpenConnectionAsync();
            while (!stop.IsCancellationRequested)
            {
                var begin = Stopwatch.GetTimestamp();
                await Query(connection, 1);
                times.Add(Stopwatch.GetElapsedTime(begin).TotalMilliseconds);
                await Task.Delay(1);
            }
            return times;
        }
    }

    // NUnit has one to which each await would return.
    private static ConfiguredTaskAwaitable LeaveContext() => Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);

    private static async Task<int> Query(PgConnection connection, int value)
    {
        await using var command = new PgCommand("SELECT $1::int", connection) { Parameters = { new PgParameter<int>(value) } };
        return (int)(await command.ExecuteScalarAsync())!;
    }

    private PgDataSource Source(string settings)
    {
        var source = PgDataSource.Create($"{TestServer.Default.ConnectionString};{settings}");
        _sources.Add(source);
        return source;
    }
}
