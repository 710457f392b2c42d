namespace Loxo.Pooling.Tests;

/// <summary>Waits for other threads. Only a hang reaches the limit.</summary>
internal static class Patience
{
    private static readonly TimeSpan _patience = TimeSpan.FromMinutes(5);

    /// <summary>Waits until other threads have made the condition true.</summary>
    internal static async Task Until(Func<bool> condition)
    {
        var start = System.Diagnostics.Stopwatch.StartNew();
        while (!condition())
        {
            Assert.That(start.Elapsed, Is.LessThan(_patience), "It did not happen.");
            await Task.Delay(1);
        }
    }

    /// <summary>The result of a task that is about to end.</summary>
    internal static Task<TResult> Soon<TResult>(Task<TResult> task) => task.WaitAsync(_patience);

    internal static Task Soon(Task task) => task.WaitAsync(_patience);

    internal static async Task<TException> Failure<TException>(Task task)
        where TException : Exception
    {
        try
        {
            await Soon(task);
        }
        catch (TException expected)
        {
            return expected;
        }
        throw new AssertionException($"Expected {typeof(TException).Name}, but nothing was thrown.");
    }
}
