namespace Loxo.Types;

/// <summary>Instants in local time: <see cref="TimestampPolicy.Legacy"/>.</summary>
internal static class LocalTime
{
    private const string Switch = "Loxo.EnableLegacyTimestampBehavior";

    /// <summary>Whether the process has asked for it.</summary>
    public static bool IsDefault => AppContext.TryGetSwitch(Switch, out var isOn) && isOn;

    /// <summary>What holds when nothing is said.</summary>
    public static TimestampPolicy DefaultPolicy => IsDefault ? TimestampPolicy.Legacy : TimestampPolicy.Strict;

    /// <summary>As Kind Local; MinValue and MaxValue that stand for infinity stay what they are, of Kind Unspecified.</summary>
    public static DateTime Of(long ticks) => TimestampFormat.IsInfinite(ticks) ? new DateTime(ticks) : Checked(ticks).DateTime;

    /// <summary>With the offset of local time; those that stand for infinity have the offset 0.</summary>
    public static DateTimeOffset OffsetOf(long ticks) =>
        TimestampFormat.IsInfinite(ticks) ? new DateTimeOffset(ticks, TimeSpan.Zero) : Checked(ticks).Offset;

    // What would lie outside of the calendar becomes its end (DateTime.ToLocalTime), which is infinity to the server.
    private static (DateTime DateTime, DateTimeOffset Offset) Checked(long ticks)
    {
        var local = new DateTime(ticks, DateTimeKind.Utc).ToLocalTime();
        return !TimestampFormat.IsInfinite(local.Ticks) || local.Ticks == ticks
            ? (local, new DateTimeOffset(local))
            : throw TypeErrors.OutOfRange("The timestamp with time zone " + new DateTime(ticks).ToString("s", CultureInfo.InvariantCulture)
                + " UTC", "the years 1 to 9999 in local time", "Read it as PgTimestamp");
    }
}
