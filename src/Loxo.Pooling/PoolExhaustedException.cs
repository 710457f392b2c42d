using System.Globalization;
using System.Text;

namespace Loxo.Pooling;

/// <summary>A rent took too long. The message and <see cref="Statistics"/> show the resources in use and since when.</summary>
public sealed class PoolExhaustedException : TimeoutException
{
    private const int Shown = 3;

    /// <summary>Creates the exception.</summary>
    /// <param name="timeout">How long the renter waited.</param>
    /// <param name="statistics">The pool's state when the wait ended.</param>
    public PoolExhaustedException(TimeSpan timeout, PoolStatistics statistics)
        : base(MessageFor(timeout, statistics)) =>
        Statistics = statistics;

    /// <summary>The pool's state when the wait ended.</summary>
    public PoolStatistics Statistics { get; }

    private static string MessageFor(TimeSpan timeout, PoolStatistics state)
    {
        var text = new StringBuilder();
        var name = state.Name.Length > 0 ? $" '{state.Name}'" : "";
        text.Append(CultureInfo.InvariantCulture, $"The pool{name} had nothing to rent within {Seconds(timeout)}: of at most ");
        text.Append(CultureInfo.InvariantCulture, $"{state.MaximumSize} resources {state.Busy} are in use, {state.Idle} idle ");
        text.Append(CultureInfo.InvariantCulture, $"and {state.Opening} opening, and {state.Waiting} others wait.");
        foreach (var rent in state.OldestRents.Take(Shown))
            text.Append(CultureInfo.InvariantCulture, $" In use for {Seconds(rent.Age)}{Tag(rent)}{Use(rent)}.");
        foreach (var failure in state.RecentOpenFailures.Take(Shown))
            text.Append(CultureInfo.InvariantCulture, $" Opening failed at {failure.When:HH:mm:ss}: {failure.Error.Message}");
        text.Append(Advice(state));
        foreach (var rent in state.OldestRents.Where(rent => rent.Stack is not null).Take(Shown))
            text.Append(CultureInfo.InvariantCulture, $"\nRented {Seconds(rent.Age)} ago by:\n{rent.Stack}");
        return text.ToString();
    }

    private static string Tag(RentalInfo rent) => rent.Tag is null ? "" : $" ({rent.Tag})";

    private static string Use(RentalInfo rent) => rent.Use is null ? "" : $": {rent.Use}";

    private static string Advice(PoolStatistics state) => state switch
    {
        { RecentOpenFailures.Count: > 0 } when state.Busy < state.MaximumSize => " Resources cannot be opened: see to that first.",
        { Opening: > 0 } when state.Busy < state.MaximumSize =>
            " Opening takes too long for this many renters: open ahead (MinimumSize, WarmUp) or raise RentTimeout.",
        _ => " Return each resource as soon as possible and in every case, or raise MaximumSize or RentTimeout.",
    };

    private static string Seconds(TimeSpan time) => time.TotalSeconds.ToString("0.###", CultureInfo.InvariantCulture) + " s";
}
