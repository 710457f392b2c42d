using System.Collections;

namespace Loxo.Types;

/// <summary>Finds a DateTime whose kind stands for all others in a parameter's value; each is checked when it is written.</summary>
internal static class DateTimeSample
{
    /// <summary>The first DateTime in a value: itself, a bound of a range, or an element of a collection. Null if there is none.</summary>
    public static DateTime? In(object? value) => value switch
    {
        DateTime dateTime => dateTime,
        PgRange<DateTime> range => BoundOf(range),
        ReadOnlyMemory<DateTime> memory => First(memory.Span),
        Memory<DateTime> memory => First<DateTime>(memory.Span),
        ReadOnlyMemory<DateTime?> memory => First(memory.Span),
        Memory<DateTime?> memory => First<DateTime?>(memory.Span),
        string or null => null,
        IEnumerable items => First(items),
        _ => null,
    };

    private static DateTime? BoundOf(PgRange<DateTime> range) => range switch
    {
        { IsEmpty: false, LowerBoundInfinite: false } => range.LowerBound,
        { IsEmpty: false, UpperBoundInfinite: false } => range.UpperBound,
        _ => null,
    };

    private static DateTime? First(IEnumerable items)
    {
        foreach (var item in items)
        {
            if (In(item) is { } sample)
                return sample;
        }
        return null;
    }

    private static DateTime? First<T>(ReadOnlySpan<T> items)
    {
        foreach (var item in items)
        {
            if (item is DateTime sample)
                return sample;
        }
        return null;
    }
}
