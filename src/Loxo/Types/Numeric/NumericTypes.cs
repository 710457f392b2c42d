using System.Numerics;

namespace Loxo.Types;

internal static class NumericTypes
{
    public static TypeEntry[] All(NumericPolicy policy) =>
    [
        TypeEntry.BuiltIn(21, 1005, "int2", "smallint", PgDbType.Smallint, Int2, NumberTextFormats.Int2),
        TypeEntry.BuiltIn(23, 1007, "int4", "integer", PgDbType.Integer, Int4, NumberTextFormats.Int4),
        TypeEntry.BuiltIn(20, 1016, "int8", "bigint", PgDbType.Bigint, Int8, NumberTextFormats.Int8),
        TypeEntry.BuiltIn(700, 1021, "float4", "real", PgDbType.Real, Float4, NumberTextFormats.Float4),
        TypeEntry.BuiltIn(701, 1022, "float8", "double precision", PgDbType.Double, Float8, NumberTextFormats.Float8),
        TypeEntry.BuiltIn(1700, 1231, "numeric", "numeric", PgDbType.Numeric, () => Numeric(policy), new NumericTextFormat()),
        // The text of money depends on lc_monetary.
        TypeEntry.BuiltIn(790, 791, "money", "money", PgDbType.Money, static () => [new MoneyCodec()]),
    ];

    private static IEnumerable<Codec> Int2() =>
    [
        new Int2Codec<short>(), new Int2Codec<int>(), new Int2Codec<long>(), new Int2Codec<byte>(), new Int2Codec<sbyte>(),
        new Int2Codec<float>(), new Int2Codec<double>(), new Int2Codec<decimal>(),
    ];

    private static IEnumerable<Codec> Int4() =>
    [
        new Int4Codec<int>(), new Int4Codec<long>(), new Int4Codec<short>(), new Int4Codec<byte>(), new Int4Codec<sbyte>(),
        new Int4Codec<float>(), new Int4Codec<double>(), new Int4Codec<decimal>(),
    ];

    private static IEnumerable<Codec> Int8() =>
    [
        new Int8Codec<long>(), new Int8Codec<int>(), new Int8Codec<short>(), new Int8Codec<byte>(), new Int8Codec<sbyte>(),
        new Int8Codec<uint>(), new Int8Codec<ulong>(), new Int8Codec<float>(), new Int8Codec<double>(), new Int8Codec<decimal>(),
    ];

    private static IEnumerable<Codec> Float4() => [new Float4Codec<float>(), new Float4Codec<double>()];

    private static IEnumerable<Codec> Float8() => [new Float8Codec<double>(), new Float8Codec<float>()];

    public static IEnumerable<Codec> Numeric(NumericPolicy policy)
    {
        var asDecimal = new NumericDecimalCodec(rounds: policy == NumericPolicy.Round);
        var exact = new NumericCodec();
        Codec[] first = policy == NumericPolicy.PgNumeric ? [exact, asDecimal] : [asDecimal, exact];
        return
        [
            .. first, new NumericWideIntegerCodec<BigInteger>(), new NumericIntegerCodec<int>(), new NumericIntegerCodec<long>(),
            new NumericIntegerCodec<short>(), new NumericIntegerCodec<byte>(), new NumericIntegerCodec<sbyte>(),
            new NumericIntegerCodec<ushort>(), new NumericIntegerCodec<uint>(), new NumericIntegerCodec<ulong>(),
            new NumericWideIntegerCodec<Int128>(), new NumericWideIntegerCodec<UInt128>(),
            new NumericFloatCodec<double>(), new NumericFloatCodec<float>(), new NumericStringCodec(),
        ];
    }
}
