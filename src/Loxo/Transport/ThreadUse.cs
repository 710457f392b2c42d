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
    private readonly long _blocks;
    private readonly long _microseconds;

    private ThreadUse(long time, long blocks, long microseconds) => (_time, _blocks, _microseconds) = (time, blocks, microseconds);

    /// <summary>Whether the thread was kept since then, for more than a millisecond.</summary>
    public bool WasKept
    {
        get
        {
            if (Stopwatch.GetElapsedTime(_time).TotalMicroseconds < KeptMicroseconds)
                return false;
            return Usage() is not { } usage || usage.Blocks != _blocks || usage.Microseconds - _microseconds >= KeptMicroseconds;
        }
    }

    /// <summary>A caller is about to run.</summary>
    public static ThreadUse Begin()
    {
        var (blocks, microseconds) = Usage() ?? default;
        return new(Stopwatch.GetTimestamp(), blocks, microseconds);
    }

    private static (long Blocks, long Microseconds)? Usage() => OperatingSystem.IsLinux() && getrusage(Thread, out var usage) == 0
        ? (usage.Blocks, usage.User.Microseconds + usage.System.Microseconds) : null;

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
}
