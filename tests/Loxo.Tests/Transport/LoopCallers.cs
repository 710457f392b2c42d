using System.Collections.Concurrent;
using Loxo.Transport;

namespace Loxo.Tests.Transport;

/// <summary>Its rounds are given by the test.</summary>
internal class TestLoop(LoopCrew crew) : Loop(crew)
{
    private readonly BlockingCollection<ILoopCaller[]> _rounds = [];
    private int _leads;

    public Thread? WaitingThread { get; private set; }

    public int Rounds { get; private set; }

    /// <summary>The number of threads that have led it.</summary>
    public int Leads => Volatile.Read(ref _leads);

    protected override bool IsAwaited => true;

    /// <summary>Runs when no caller is being resumed.</summary>
    public Action Between { get; set; } = static () => { };

    public void Ready(params ILoopCaller[] callers) => _rounds.Add(callers);

    public void End() => _rounds.CompleteAdding();

    protected override bool WaitForCallers()
    {
        if (WaitingThread != Thread.CurrentThread)
            Interlocked.Increment(ref _leads);
        WaitingThread = Thread.CurrentThread;
        Between();
        if (!_rounds.TryTake(out var callers, Timeout.Infinite))
            return false;
        foreach (var caller in callers)
            Add(caller);
        return true;
    }

    protected override void AllResumed()
    {
        Rounds++;
        Between();
    }
}

/// <summary>Work that anybody may do.</summary>
internal sealed class WorkItem : IThreadPoolWorkItem
{
    private readonly ManualResetEventSlim _ended = new();

    public Thread? Thread { get; private set; }

    public void AwaitEnd() => Assert.That(_ended.Wait(TimeSpan.FromSeconds(30)), Is.True, "it did not happen");

    public void Execute()
    {
        Thread = Thread.CurrentThread;
        _ended.Set();
    }
}

/// <summary>Somebody who waits for a loop.</summary>
internal class Caller : ILoopCaller
{
    private readonly TaskCompletionSource _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Action Code { get; init; } = static () => { };

    /// <summary>Whether one time says something of the next.</summary>
    public bool Remembers { get; init; }

    public long KeepsUntil { get; set => field = Remembers ? value : 0; }

    public Thread? Thread { get; private set; }

    public bool WasInPool { get; private set; }

    public bool HasEnded => _ended.Task.IsCompleted;

    public void AwaitBegin() => Await(_begun.Task);

    public void AwaitEnd() => Await(_ended.Task);

    public void Resume()
    {
        Thread = Thread.CurrentThread;
        _begun.SetResult();
        try
        {
            Run();
            _ended.SetResult();
        }
        catch (Exception e)
        {
            _ended.SetException(e);
        }
    }

    public void ResumeInPool()
    {
        WasInPool = true;
        ThreadPool.QueueUserWorkItem(_ => Resume());
    }

    protected virtual void Run() => Code();

    // Only a fault waits for so long.
    private static void Await(Task task) => Assert.That(task.Wait(TimeSpan.FromSeconds(30)), Is.True, "it did not happen");
}

/// <summary>It keeps the thread on which it goes on.</summary>
internal sealed class KeepingCaller : Caller, IDisposable
{
    private readonly ManualResetEventSlim _mayEnd = new();

    /// <summary>Whether it says that it is about to block.</summary>
    public bool Says { get; init; }

    public void LetGo() => _mayEnd.Set();

    public void Dispose() => _mayEnd.Dispose();

    protected override void Run()
    {
        Code();
        if (Says)
            Loop.AboutToBlock();
        _mayEnd.Wait();
    }
}
