using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Loxo.Transport;

/// <summary>
/// The begin of a caller's run on the calling thread. At its end it tells whether the caller has kept the thread, by blocking or by
/// computing; on Linux a wait for a processor does not count.
/// </summary>
internal readonly partial struct ThreadUse
{
    private const int KeptMicroseconds = 1000;

    // Of the calling thread (getrusage(2)).
    private const int Thread = 1;

    private readonly long _time;
    private readonly Counts _counts;

    private ThreadUse(long time, Counts counts) => (_time, _counts) = (time, counts);

    /// <summary>Whether the thread was kept since then, for more than a millisecond.</summary>
    public bool WasKept =>
        Stopwatch.GetElapsedTime(_time).TotalMicroseconds >= KeptMicroseconds && !WaitedForProcessor(_counts, Count());

    /// <summary>A caller is about to run.</summary>
    public static ThreadUse Begin()
    {
        var counts = Count();
        return new(Stopwatch.GetTimestamp(), counts);
    }

    /// <summary>
    /// Whether the thread could have run on, and was interrupted. A system that does not count these never says so.
    /// </summary>
    internal static bool WaitedForProcessor(Counts before, Counts after) =>
        after.Blocks == before.Blocks
        && after.Interruptions != before.Interruptions
        && after.Microseconds - before.Microseconds < KeptMicroseconds;

    private static Counts Count() => OperatingSystem.IsLinux() && getrusage(Thread, out var usage) == 0
        ? new(usage.Blocks, usage.Interruptions, usage.User.Microseconds + usage.System.Microseconds) : default;

    [LibraryImport("libc")]
    private static partial int getrusage(int who, out ResourceUsage usage);

    [StructLayout(LayoutKind.Sequential)]
    private struct Time
    {
        public nint Whole;
        public nint Rest;

        public readonly long Microseconds => (Whole * 1_000_000L) + Rest;
    }

    // The times, twelve counters that say nothing of it, the voluntary context switches and the others.
    [StructLayout(LayoutKind.Sequential)]
    private struct ResourceUsage
    {
        public Time User;
        public Time System;
        public Counters Others;
        public nint Blocks;
        public nint Interruptions;
    }

    [InlineArray(12)]
    private struct Counters
    {
        public nint First;
    }

    /// <summary>The context switches of the thread, voluntary and involuntary, and the time of its processors.</summary>
    internal readonly record struct Counts(long Blocks, long Interruptions, long Microseconds);
}
