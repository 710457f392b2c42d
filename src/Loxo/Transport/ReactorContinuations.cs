namespace Loxo;

/// <summary>Where the code behind an <c>await</c> goes on that was completed by a loop of <see cref="AsyncEngine.Reactor"/>.</summary>
public enum ReactorContinuations
{
    /// <summary>
    /// On the thread of the loop, which saves a hop. Code that keeps the thread for more than one to two milliseconds holds up no other
    /// connection for longer: another thread takes the loop over. The default.
    /// </summary>
    Inline,

    /// <summary>In the thread pool, with one work item for all connections whose answers have arrived together.</summary>
    ThreadPool,
}
