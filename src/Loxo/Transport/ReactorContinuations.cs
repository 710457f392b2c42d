namespace Loxo;

/// <summary>Where the code behind an <c>await</c> goes on that was completed by a loop of <see cref="AsyncEngine.Reactor"/>.</summary>
public enum ReactorContinuations
{
    /// <summary>
    /// On the thread of the loop, which saves a hop. If code keeps that thread for one to two milliseconds, another thread takes over the
    /// loop for the other connections, unless the code itself is waiting for a processor, or the system has no thread left. The default.
    /// </summary>
    Inline,

    /// <summary>
    /// In the thread pool. Connections whose answers have arrived together share two or more work items: the longer the code runs and the
    /// more workers are free, the more there are.
    /// </summary>
    ThreadPool,
}
