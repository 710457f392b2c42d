namespace Loxo.Transport;

/// <summary>Counts the threads that wait in a blocking receive.</summary>
/// <param name="processors">How many they share with their servers.</param>
internal sealed class WaitingThreads(int processors)
{
    private int _count;

    /// <summary>The threads of this process.</summary>
    public static WaitingThreads OfProcess { get; } = new(Environment.ProcessorCount);

    /// <summary>Whether the only one that waits may keep its processor: others would have work for it.</summary>
    public bool IsProcessorSpare => processors > 1 && Volatile.Read(ref _count) <= 1;

    public void Enter() => Interlocked.Increment(ref _count);

    public void Leave() => Interlocked.Decrement(ref _count);
}
