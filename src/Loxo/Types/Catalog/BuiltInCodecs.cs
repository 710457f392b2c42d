using System.Numerics;

namespace Loxo.Types;

/// <summary>The .NET types of each built-in type that has several, the default one first.</summary>
internal static class BuiltInCodecs
{
    public static IEnumerable<Codec> Boolean() => [new BoolCodec()];

    public static IEnumerable<Codec> Int2() =>
    [
        new Int2Codec<short>(), new Int2Codec<int>(), new Int2Codec<long>(), new Int2Codec<byte>(), new Int2Codec<sbyte>(),
        new Int2Codec<float>(), new Int2Codec<double>(), new Int2Codec<decimal>(),
    ];

    public static IEnumerable<Codec> Int4() =>
    [
        new Int4Codec<int>(), new Int4Codec<long>(), new Int4Codec<short>(), new Int4Codec<byte>(), new Int4Codec<sbyte>(),
        new Int4Codec<float>(), new Int4Codec<double>(), new Int4Codec<decimal>(),
    ];

    public static IEnumerable<Codec> Int8() =>
    [
        new Int8Codec<long>(), new Int8Codec<int>(), new Int8Codec<short>(), new Int8Codec<byte>(), new Int8Codec<sbyte>(),
        new Int8Codec<uint>(), new Int8Codec<ulong>(), new Int8Codec<float>(), new Int8Codec<double>(), new Int8Codec<decimal>(),
    ];

    public static IEnumerable<Codec> Float4() => [new Float4Codec<float>(), new Float4Codec<double>()];

    public static IEnumerable<Codec> Float8() => [new Float8Codec<double>(), new Float8Codec<float>()];

    public static IEnumerable<Codec> Numeric(TypeSettings settings)
    {
        var asDecimal = new NumericDecimalCodec(rounds: settings.Numerics == NumericPolicy.Round);
        var asItIs = new NumericCodec();
        Codec[] first = settings.Numerics == NumericPolicy.PgNumeric ? [asItIs, asDecimal] : [asDecimal, asItIs];
        return
        [
            .. first, new NumericWideIntegerCodec<BigInteger>(), new NumericIntegerCodec<int>(), new NumericIntegerCodec<long>(),
            new NumericIntegerCodec<short>(), new NumericIntegerCodec<byte>(), new NumericIntegerCodec<sbyte>(), new NumericIntegerCodec<ushort>(),
            new NumericIntegerCodec<uint>(), new NumericIntegerCodec<ulong>(), new NumericWideIntegerCodec<Int128>(), new NumericWideIntegerCodec<UInt128>(),
            new NumericFloatCodec<double>(), new NumericFloatCodec<float>(), new NumericStringCodec(),
        ];
    }

    public static IEnumerable<Codec> Date() => [new DateOnlyCodec(), new DateAsDateTimeCodec(), new PgDateCodec(), new Int4Codec<int>("date")];

    public static IEnumerable<Codec> Time() =>
        [new TimeOnlyCodec(), new TimeAsTimeSpanCodec(), new Int8Codec<long>("time without time zone")];

    public static IEnumerable<Codec> TimeTz() => [new TimeTzCodec()];

    public static IEnumerable<Codec> Timestamp(TypeSettings settings) =>
        [new TimestampCodec(settings.Timestamps), new PgTimestampCodec(TimestampCodec.Name), new Int8Codec<long>(TimestampCodec.Name)];

    public static IEnumerable<Codec> TimestampTz(TypeSettings settings) =>
    [
        new TimestampTzCodec(settings.Timestamps), new TimestampTzAsOffsetCodec(settings.Timestamps), new PgTimestampCodec(TimestampTzCodec.Name),
        new Int8Codec<long>(TimestampTzCodec.Name),
    ];

    public static IEnumerable<Codec> Interval() => [new IntervalAsTimeSpanCodec(), new IntervalCodec()];

    public static IEnumerable<Codec> InternalChar() => [new InternalCharCodec(), new InternalCharByteCodec()];

    public static IEnumerable<Codec> Vector<T>(TypeEntry element)
        where T : struct => [new VectorCodec<T>(element.CodecFor<T>()!, element)];

    public static IEnumerable<Codec> Record(Func<uint, TypeEntry?> types) => [new RecordCodec(types), new ReadOnlyTextCodec("record", new RecordTextFormatter(types))];
}
