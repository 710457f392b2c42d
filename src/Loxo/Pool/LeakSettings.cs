using Loxo.Session;

namespace Loxo.Pool;

/// <summary>How connections are found that are not given back.</summary>
internal sealed record LeakSettings
{
    private const double ShortestMilliseconds = 100;

    /// <summary>A connection that is out for longer is reported; zero: none is.</summary>
    public TimeSpan Threshold { get; init; }

    /// <summary>How often to look; zero for never.</summary>
    public TimeSpan Interval => Threshold == TimeSpan.Zero ? TimeSpan.Zero
        : TimeSpan.FromMilliseconds(Math.Max(Threshold.TotalMilliseconds / 2, ShortestMilliseconds));

    /// <summary>The fraction of the rents that keep their stack.</summary>
    public double StackSampling { get; init; }

    /// <summary>Shows the statement that a session ran last; null if there was none.</summary>
    public Func<ServerSession, string?> LastStatement { get; init; } = static _ => null;
}
