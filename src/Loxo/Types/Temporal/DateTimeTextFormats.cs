namespace Loxo.Types;

/// <summary>date in DateStyle ISO: 2000-01-31, 0044-03-15 BC, infinity.</summary>
internal sealed class DateTextFormat : TextFormat
{
    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text) => binary.WriteInt32(text switch
    {
        _ when DateTimeText.TryReadDate(text, out var days) => days,
        _ => throw TypeErrors.Malformed("date", text, DateTimeText.StyleRemedy),
    });

    public override string ToText(ReadOnlySpan<byte> binary) => DateTimeText.FormatDate(FixedBytes.Read<int>(binary, "date"));
}

internal sealed class TimeTextFormat : TextFormat
{
    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        var scanner = new TextScanner(text.Trim(AsciiBlanks.AllBytes));
        if (!DateTimeText.TryTakeTime(ref scanner, out var microseconds) || !scanner.IsAtEnd)
            throw TypeErrors.Malformed("time without time zone", text);
        binary.WriteInt64(microseconds);
    }

    public override string ToText(ReadOnlySpan<byte> binary) => DateTimeText.FormatTime(TimeFormat.ReadMicroseconds(binary));
}

/// <summary>timetz: 23:59:59.999999+05:30.</summary>
internal sealed class TimeTzTextFormat : TextFormat
{
    private const string Name = "time with time zone";

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        var scanner = new TextScanner(text.Trim(AsciiBlanks.AllBytes));
        if (!DateTimeText.TryTakeTime(ref scanner, out var microseconds) || !DateTimeText.TryTakeOffset(ref scanner, out var seconds)
            || !scanner.IsAtEnd)
            throw TypeErrors.Malformed(Name, text);
        binary.WriteInt64(microseconds);
        binary.WriteInt32(-seconds);
    }

    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var scanner = new BinaryScanner(binary, Name);
        var time = DateTimeText.FormatTime(TimeFormat.Check(scanner.TakeInt64(), Name));
        var offset = DateTimeText.FormatOffset(-(long)scanner.TakeInt32());
        scanner.End();
        return time + offset;
    }
}

/// <summary>timestamp and, with an offset at its end, timestamptz: 2000-01-31 23:59:59.999999+05:30 BC.</summary>
internal sealed class TimestampTextFormat(bool hasZone) : TextFormat
{
    private readonly string _name = hasZone ? "timestamp with time zone" : "timestamp without time zone";

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text) => binary.WriteInt64(text switch
    {
        _ when DateTimeText.TryReadTimestamp(text, hasZone, out var microseconds) => microseconds,
        _ => throw TypeErrors.Malformed(_name, text, DateTimeText.StyleRemedy),
    });

    public override string ToText(ReadOnlySpan<byte> binary) => DateTimeText.FormatTimestamp(FixedBytes.Read<long>(binary, _name), hasZone);
}

/// <summary>interval in IntervalStyle postgres: 1 year 2 mons -3 days 04:05:06.789.</summary>
internal sealed class IntervalTextFormat : TextFormat
{
    private static readonly IntervalCodec Codec = new();

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        if (!IntervalText.TryRead(text.Trim(AsciiBlanks.AllBytes), out var interval))
            throw TypeErrors.Malformed("interval", text, "IntervalStyle has to be postgres");
        Codec.Write(binary, interval);
    }

    public override string ToText(ReadOnlySpan<byte> binary) => Codec.Read(binary).ToString();
}
