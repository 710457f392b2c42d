namespace Loxo.Transport;

/// <summary>A caller that waits for a <see cref="Loop"/>.</summary>
internal interface ILoopCaller
{
    /// <summary>The caller goes on, on this thread.</summary>
    void Resume();

    /// <summary>The caller goes on in the thread pool.</summary>
    void ResumeInPool();
}
