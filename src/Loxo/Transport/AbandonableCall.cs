using System.Runtime.ExceptionServices;

namespace Loxo.Transport;

/// <summary>Bounds calls of system libraries that block and take no time limit, such as name lookups.</summary>
internal static class AbandonableCall
{
    /// <summary>Runs the call on a thread of its own, which is abandoned when the time is over.</summary>
    /// <param name="call">The call; its result is lost if it comes too late.</param>
    /// <param name="threadName">The name of the thread.</param>
    /// <param name="milliseconds">How long to wait; <see cref="Timeout.Infinite"/> runs the call on the caller's thread.</param>
    /// <param name="result">What the call has returned.</param>
    /// <returns>False if the time is over.</returns>
    public static bool TryRun<T>(Func<T> call, string threadName, int milliseconds, [MaybeNullWhen(false)] out T result)
    {
        if (milliseconds == Timeout.Infinite)
        {
            result = call();
            return true;
        }
        T? found = default;
        ExceptionDispatchInfo? error = null;
        var thread = new Thread(() =>
        {
            try
            {
                found = call();
            }
            catch (Exception e)
            {
                error = ExceptionDispatchInfo.Capture(e);
            }
        }) { IsBackground = true, Name = threadName };
        thread.Start();
        if (!thread.Join(milliseconds))
        {
            result = default;
            return false;
        }
        error?.Throw();
        result = found!;
        return true;
    }
}
