using NodaTime;

namespace Loxo.Noda.Tests;

/// <summary>One value in NodaTime and the same value in SQL.</summary>
public sealed record Sample(string Type, string Literal, object Value)
{
    public override string ToString() => $"'{Literal}'::{Type} as {Value.GetType().Name}";
}

/// <summary>The values that every way of exchanging a type is tried with.</summary>
public static class Samples
{
    private static readonly Instant Noon = Instant.FromUtc(2024, 2, 29, 12, 34, 56) + Duration.FromTicks(7890120);
    private static readonly Instant Later = Instant.FromUtc(2024, 3, 1, 0, 0);

    public static IReadOnlyList<Sample> All { get; } = [.. Timestamps(), .. DatesAndTimes(), .. Intervals(), .. Ranges()];

    private static IEnumerable<Sample> Timestamps() =>
    [
        new("timestamp with time zone", "2024-02-29 12:34:56.789012+00", Noon),
        new("timestamp with time zone", "1969-12-31 23:59:59.999999+00", Instant.FromUnixTimeTicks(-10)),
        new("timestamp with time zone", "9999-12-31 23:59:59.999999+00", Instant.FromUtc(9999, 12, 31, 23, 59, 59) + Duration.FromTicks(9999990)),
        new("timestamp with time zone", "4714-11-24 00:00:00+00 BC", new LocalDateTime(-4713, 11, 24, 0, 0).InUtc().ToInstant()),
        new("timestamp with time zone", "infinity", Instant.MaxValue), new("timestamp with time zone", "-infinity", Instant.MinValue),
        new("timestamp with time zone", "2024-02-29 12:34:56.789012+00", Noon.InUtc()), new("timestamp with time zone", "infinity", Instant.MaxValue.InUtc()),
        new("timestamp with time zone", "2024-02-29 12:34:56.789012+00", Noon.WithOffset(Offset.Zero)),
        new("timestamp without time zone", "2024-02-29 12:34:56.789012", Noon.InUtc().LocalDateTime),
        new("timestamp without time zone", "0044-03-15 00:00:00 BC", new LocalDateTime(-43, 3, 15, 0, 0)),
        new("timestamp without time zone", "infinity", Instant.MaxValue.InUtc().LocalDateTime),
        new("timestamp without time zone", "-infinity", Instant.MinValue.InUtc().LocalDateTime),
    ];

    private static IEnumerable<Sample> DatesAndTimes() =>
    [
        new("date", "2024-02-29", new LocalDate(2024, 2, 29)), new("date", "0044-03-15 BC", new LocalDate(-43, 3, 15)),
        new("date", "9999-12-30", new LocalDate(9999, 12, 30)), new("date", "4714-11-24 BC", new LocalDate(-4713, 11, 24)),
        new("date", "infinity", LocalDate.MaxIsoValue), new("date", "-infinity", LocalDate.MinIsoValue),
        new("time without time zone", "00:00:00", LocalTime.Midnight), new("time without time zone", "23:59:59.999999", new LocalTime(23, 59, 59).PlusTicks(9999990)),
        new("time with time zone", "12:34:56.789+05:30", new OffsetTime(new LocalTime(12, 34, 56, 789), Offset.FromHoursAndMinutes(5, 30))),
        new("time with time zone", "00:00:00-15:59:59", new OffsetTime(LocalTime.Midnight, Offset.FromSeconds(-57599))),
    ];

    private static IEnumerable<Sample> Intervals() =>
    [
        new("interval", "0", Period.Zero),
        new("interval", "1 year 2 mons -3 days 04:05:06.789012", new PeriodBuilder
            { Years = 1, Months = 2, Days = -3, Hours = 4, Minutes = 5, Seconds = 6, Milliseconds = 789, Nanoseconds = 12000 }.Build()),
        new("interval", "25:00:00", Period.FromHours(25)), new("interval", "-00:00:00.000001", Period.FromNanoseconds(-1000)),
        new("interval", "-178956970 years -8 mons", new PeriodBuilder { Years = -178956970, Months = -8 }.Build()),
        new("interval", "0", Duration.Zero), new("interval", "1 day 01:00:00", Duration.FromHours(25)),
        new("interval", "-3 days -04:05:06.789", -(Duration.FromDays(3) + Duration.FromHours(4) + Duration.FromMinutes(5) + Duration.FromMilliseconds(6789))),
    ];

    private static IEnumerable<Sample> Ranges() =>
    [
        new("tstzrange", "[\"2024-02-29 12:34:56.789012+00\",\"2024-03-01 00:00:00+00\")", new Interval(Noon, Later)),
        new("tstzrange", "[\"2024-02-29 12:34:56.789012+00\",)", new Interval(Noon, null)), new("tstzrange", "(,\"2024-03-01 00:00:00+00\")", new Interval(null, Later)),
        new("tstzrange", "(,)", new Interval(null, null)), new("tstzrange", "empty", new Interval(NodaConstants.UnixEpoch, NodaConstants.UnixEpoch)),
        new("tstzrange", "[-infinity,infinity)", new Interval(Instant.MinValue, Instant.MaxValue)),
        new("daterange", "[2024-02-28,2024-03-01)", new DateInterval(new LocalDate(2024, 2, 28), new LocalDate(2024, 2, 29))),
        new("daterange", "[2024-02-28,)", new DateInterval(new LocalDate(2024, 2, 28), LocalDate.MaxIsoValue)),
        new("daterange", "(,)", new DateInterval(LocalDate.MinIsoValue, LocalDate.MaxIsoValue)),
        new("tstzmultirange", "{[\"2024-02-29 12:34:56.789012+00\",\"2024-03-01 00:00:00+00\")}", new[] { new Interval(Noon, Later) }),
        new("tstzmultirange", "{(,\"2024-02-29 12:34:56.789012+00\"),[\"2024-03-01 00:00:00+00\",)}", new List<Interval> { new(null, Noon), new(Later, null) }),
        new("datemultirange", "{}", Array.Empty<DateInterval>()),
        new("datemultirange", "{[2024-02-28,2024-02-29),[2024-03-01,)}", new List<DateInterval>
        {
            new(new LocalDate(2024, 2, 28), new LocalDate(2024, 2, 28)), new(new LocalDate(2024, 3, 1), LocalDate.MaxIsoValue),
        }),
    ];
}
