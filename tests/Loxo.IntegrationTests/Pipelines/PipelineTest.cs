namespace Loxo.IntegrationTests.Pipelines;

/// <summary>A test with pipelines, whose results are taken in the test's wait mode.</summary>
public abstract class PipelineTest(WaitMode mode) : DatabaseTest(mode)
{
    /// <summary>For what must not happen: a caller that is not woken.</summary>
    protected static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    /// <summary>The outcome of a command that the server has skipped after an error.</summary>
    protected const string Skipped = "skipped";

    protected Task<T> Result<T>(PgPipelineResult<T> result, CancellationToken token = default) =>
        Mode.Run(result.GetResult, () => result.GetResultAsync(token));

    protected Task Wait(PgPipelineResult result, CancellationToken token = default) => Mode.Run(result.Wait, () => result.WaitAsync(token));

    /// <summary>The first columns of all rows that are left.</summary>
    protected async Task<List<T>> Values<T>(PgPipelineResult<PgDataReader> result)
    {
        var reader = await Result(result);
        var values = new List<T>();
        while (await Mode.Read(reader))
            values.Add(reader.GetFieldValue<T>(0));
        await Mode.Close(reader);
        return values;
    }

    /// <summary>Starts a call, a blocking one on a thread of its own. Another caller receives for it, and by now it waits.</summary>
    protected async Task<Task> StartWaiting(Func<Task> call)
    {
        if (Mode == WaitMode.Async)
            return call();
        Thread? thread = null;
        var running = Task.Factory.StartNew(() =>
        {
            Volatile.Write(ref thread, Thread.CurrentThread);
            call().GetAwaiter().GetResult();
        }, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        await Until(() => Task.FromResult(
            running.IsCompleted || (Volatile.Read(ref thread) is { } started && started.ThreadState.HasFlag(ThreadState.WaitSleepJoin))));
        return running;
    }

    protected static async Task Until(Func<Task<bool>> condition)
    {
        for (var end = DateTime.UtcNow + Patience; !await condition(); await Task.Delay(20))
            Assert.That(DateTime.UtcNow, Is.LessThan(end), "It has not come to that.");
    }

    /// <summary>What was taken, the error, or <see cref="Skipped"/>.</summary>
    protected static async Task<string> Outcome(Func<Task<string>> take)
    {
        try
        {
            return await take();
        }
        catch (PostgresException e)
        {
            return "error " + e.SqlState;
        }
        catch (PgException e) when (e.Code == PgErrorCode.PipelineAborted)
        {
            return Skipped;
        }
    }
}
