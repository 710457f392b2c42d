namespace Loxo.Types;

internal static class TemporalTypes
{
    public static TypeEntry[] All(TimestampPolicy policy) =>
    [
        TypeEntry.BuiltIn(1082, 1182, "date", "date", PgDbType.Date, static () =>
            [new DateOnlyCodec(), new DateAsDateTimeCodec(), new PgDateCodec(), new NumberCodec<int, int>("date")], new DateTextFormat()),
        TypeEntry.BuiltIn(1083, 1183, "time", TimeFormat.Name, PgDbType.Time, static () =>
            [new TimeOnlyCodec(), new TimeAsTimeSpanCodec(), new NumberCodec<long, long>(TimeFormat.Name)], new TimeTextFormat()),
        TypeEntry.BuiltIn(1266, 1270, "timetz", TimeTzCodec.Name, PgDbType.TimeTz, static () =>
            [new TimeTzCodec()], new TimeTzTextFormat()),
        TypeEntry.BuiltIn(1114, 1115, "timestamp", TimestampCodec.Name, PgDbType.Timestamp, () =>
            Timestamp(policy), new TimestampTextFormat(false)),
        TypeEntry.BuiltIn(1184, 1185, "timestamptz", TimestampTzCodec.Name, PgDbType.TimestampTz,
            () => TimestampTz(policy), new TimestampTextFormat(true)),
        TypeEntry.BuiltIn(1186, 1187, "interval", "interval", PgDbType.Interval,
            static () => [new IntervalAsTimeSpanCodec(), new IntervalCodec()], new IntervalTextFormat()),
    ];

    public static IEnumerable<Codec> Timestamp(TimestampPolicy policy) =>
        [new TimestampCodec(policy), new PgTimestampCodec(TimestampCodec.Name), new NumberCodec<long, long>(TimestampCodec.Name)];

    public static IEnumerable<Codec> TimestampTz(TimestampPolicy policy) =>
    [
        new TimestampTzCodec(policy), new TimestampTzAsOffsetCodec(policy), new PgTimestampCodec(TimestampTzCodec.Name),
        new NumberCodec<long, long>(TimestampTzCodec.Name),
    ];
}
