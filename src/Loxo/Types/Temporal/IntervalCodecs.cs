namespace Loxo.Types;

/// <summary>interval: microseconds in 8 bytes, days in 4, months in 4 (interval_send, timestamp.c).</summary>
internal sealed class IntervalCodec : ValueCodec<PgInterval>
{
    public override PgInterval Read(ReadOnlySpan<byte> value)
    {
        FixedBytes.Exactly(16, value, "interval");
        return new PgInterval(
            months: BinaryPrimitives.ReadInt32BigEndian(value[12..]),
            days: BinaryPrimitives.ReadInt32BigEndian(value[8..]),
            time: BinaryPrimitives.ReadInt64BigEndian(value));
    }

    public override void Write(MessageWriter writer, PgInterval value)
    {
        writer.WriteInt64(value.Time);
        writer.WriteInt32(value.Days);
        writer.WriteInt32(value.Months);
    }
}

/// <summary>interval as TimeSpan, with days of 24 hours. Months have no fixed length, so they have no place in one.</summary>
internal sealed class IntervalAsTimeSpanCodec : ValueCodec<TimeSpan>
{
    private readonly IntervalCodec _interval = new();

    public override TimeSpan Read(ReadOnlySpan<byte> value)
    {
        var interval = _interval.Read(value);
        if (interval.TryToTimeSpan(out var span))
            return span;
        throw interval.Months != 0 && interval.IsFinite
            ? TypeErrors.NoForm($"The interval '{interval}', which has months,", "TimeSpan", "Read it as PgInterval")
            : TypeErrors.OutOfRange($"The interval '{interval}'", "TimeSpan", "Read it as PgInterval");
    }

    public override void Write(MessageWriter writer, TimeSpan value) => _interval.Write(writer, (PgInterval)value);
}
