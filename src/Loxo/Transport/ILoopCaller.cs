namespace Loxo.Transport;

/// <summary>A caller that waits for a <see cref="Loop"/>.</summary>
internal interface ILoopCaller
{
    /// <summary>The caller goes on, on this thread.</summary>
    void Resume();

    /// <summary>The caller goes on in the thread pool.</summary>
    void ResumeInPool();

    /// <summary>
    /// Until then, by <see cref="Environment.TickCount64"/>, it is expected to keep its thread, because it has lately; 0 if it is not. It
    /// stays 0 where one time says nothing of the next.
    /// </summary>
    long KeepsUntil { get; set; }
}
