using System.Collections.Concurrent;

namespace Loxo.IntegrationTests.Cancellation;

/// <summary>The context of a program with a user interface: everything that is posted runs on one thread, one after the other.</summary>
internal sealed class SingleThreadContext : SynchronizationContext
{
    private readonly BlockingCollection<(SendOrPostCallback Callback, object? State)> _posted = [];

    /// <summary>Runs an asynchronous method on a thread of its own, to which each await returns.</summary>
    public static Task Run(Func<Task> method) => Task.Factory.StartNew(
        () =>
        {
            var context = new SingleThreadContext();
            SetSynchronizationContext(context);
            var task = method();
            _ = task.ContinueWith(_ => context._posted.CompleteAdding(), TaskScheduler.Default);
            foreach (var (callback, state) in context._posted.GetConsumingEnumerable())
                callback(state);
            task.GetAwaiter().GetResult();
        },
        CancellationToken.None,
        TaskCreationOptions.LongRunning,
        TaskScheduler.Default);

    public override void Post(SendOrPostCallback d, object? state) => _posted.Add((d, state));

    public override void Send(SendOrPostCallback d, object? state) => throw new NotSupportedException("Nothing is sent to this context.");
}
