namespace Loxo.Transport;

/// <summary>The pause of a public call that blocks, by the clock of its data source.</summary>
internal static class Sleep
{
    /// <summary>Blocks for that time.</summary>
    public static void For(TimeSpan pause, TimeProvider time)
    {
        // The system's clock needs no timer, which would need a thread of the pool.
        if (time == TimeProvider.System)
            Thread.Sleep(pause);
        else
            Task.Delay(pause, time).Wait();
    }
}
