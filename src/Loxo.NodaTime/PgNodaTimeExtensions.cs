using Loxo.Noda;
using NodaTime;

namespace Loxo;

/// <summary>Makes a data source read and write date and time types as those of NodaTime.</summary>
public static class PgNodaTimeExtensions
{
    /// <summary>
    /// Reads date and time types as those of NodaTime when no .NET type is asked for, and writes NodaTime's types. The .NET types that are
    /// read without it can still be asked for.
    /// </summary>
    /// <remarks>
    /// By type, the default first: <c>timestamptz</c> Instant, ZonedDateTime and OffsetDateTime (both in UTC only, for the server keeps no
    /// zone); <c>timestamp</c> LocalDateTime; <c>date</c> LocalDate; <c>time</c> LocalTime; <c>timetz</c> OffsetTime; <c>interval</c>
    /// Period and Duration; <c>tstzrange</c> Interval; <c>daterange</c> DateInterval; the multiranges of both as arrays and lists. What is
    /// finer than a microsecond is cut off. The infinities of timestamps are the least and largest Instant, LocalDateTime and so on, those
    /// of dates LocalDate.MinIsoValue and MaxIsoValue, unless the AppContext switch <c>Loxo.DisableDateTimeInfinityConversions</c> is on.
    /// </remarks>
    /// <param name="builder">What the data source is made by.</param>
    /// <returns>The same builder.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is null.</exception>
    public static PgDataSourceBuilder UseNodaTime(this PgDataSourceBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        foreach (var (type, codecs) in Codecs())
            builder.AddCodec(type, codecs);
        return builder;
    }

    /// <summary>The codecs of each type, the default one first.</summary>
    internal static IEnumerable<(string Type, Codec[] Codecs)> Codecs() =>
    [
        ("timestamptz", [new InstantCodec(), new ZonedDateTimeCodec(), new OffsetDateTimeCodec()]),
        ("timestamp", [new LocalDateTimeCodec()]),
        ("date", [new LocalDateCodec()]),
        ("time", [new LocalTimeCodec()]),
        ("timetz", [new OffsetTimeCodec()]),
        ("interval", [new PeriodCodec(), new DurationCodec()]),
        ("tstzrange", [new IntervalCodec()]),
        ("daterange", [new DateIntervalCodec()]),
        ("tstzmultirange", [.. MultirangeCodec.Of<Interval, IntervalCodec>(new IntervalCodec(), "tstzmultirange")]),
        ("datemultirange", [.. MultirangeCodec.Of<DateInterval, DateIntervalCodec>(new DateIntervalCodec(), "datemultirange")]),
    ];
}
