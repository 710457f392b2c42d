using System.Numerics;

namespace Loxo.Diagnostics;

/// <summary>Counts durations in buckets, four for each doubling, so that a percentile is off by an eighth at most.</summary>
internal sealed class DurationHistogram
{
    // Up to 2^41 ticks, which are two and a half days.
    private const int Doublings = 40;
    private const int PerDoubling = 4;

    private readonly uint[] _counts = new uint[Doublings * PerDoubling];

    /// <summary>Adds a duration.</summary>
    /// <param name="ticks">Its length in units of 100 ns.</param>
    public void Add(long ticks) => _counts[BucketOf(ticks)]++;

    /// <summary>Adds the counts of another histogram.</summary>
    public void Add(DurationHistogram other)
    {
        for (var i = 0; i < _counts.Length; i++)
            _counts[i] += other._counts[i];
    }

    /// <summary>The duration that a part of the durations does not exceed, in ticks; 0 if there are none.</summary>
    /// <param name="part">The part, such as 0.99.</param>
    public long Percentile(double part)
    {
        var total = 0L;
        foreach (var count in _counts)
            total += count;
        var below = 0L;
        for (var i = 0; i < _counts.Length; i++)
        {
            below += _counts[i];
            if (below > 0 && below >= part * total)
                return MiddleOf(i);
        }
        return 0;
    }

    private int BucketOf(long ticks)
    {
        if (ticks < PerDoubling)
            return (int)Math.Max(0, ticks);
        var doubling = BitOperations.Log2((ulong)ticks);
        return Math.Min((PerDoubling * (doubling - 1)) + (int)((ticks >> (doubling - 2)) & 3), _counts.Length - 1);
    }

    private static long MiddleOf(int bucket)
    {
        if (bucket < PerDoubling)
            return bucket;
        var shift = (bucket / PerDoubling) - 1;
        var width = 1L << shift;
        return ((PerDoubling + (bucket % PerDoubling)) * width) + (width / 2);
    }
}
