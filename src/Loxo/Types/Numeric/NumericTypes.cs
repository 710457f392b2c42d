using System.Numerics;

namespace Loxo.Types;

internal static class NumericTypes
{
    public static TypeEntry[] All(NumericPolicy policy) =>
    [
        TypeEntry.BuiltIn(21, 1005, "int2", "smallint", PgDbType.Smallint, static () => Int2("smallint"), NumberTextFormats.Int2),
        TypeEntry.BuiltIn(23, 1007, "int4", "integer", PgDbType.Integer, static () => Int4("integer"), NumberTextFormats.Int4),
        TypeEntry.BuiltIn(20, 1016, "int8", "bigint", PgDbType.Bigint, static () => Int8("bigint"), NumberTextFormats.Int8),
        TypeEntry.BuiltIn(700, 1021, "float4", "real", PgDbType.Real,
            static () => [new NumberCodec<float, float>("real"), new NumberCodec<float, double>("real")], NumberTextFormats.Float4),
        TypeEntry.BuiltIn(701, 1022, "float8", "double precision", PgDbType.Double,
            static () => [new NumberCodec<double, double>("double precision"), new NumberCodec<double, float>("double precision")],
            NumberTextFormats.Float8),
        TypeEntry.BuiltIn(1700, 1231, "numeric", "numeric", PgDbType.Numeric, () => Numeric(policy), new NumericTextFormat()),
        // The text of money depends on lc_monetary.
        TypeEntry.BuiltIn(790, 791, "money", "money", PgDbType.Money, static () => [new MoneyCodec()]),
    ];

    private static IEnumerable<Codec> Int2(string type) =>
    [
        new NumberCodec<short, short>(type), new NumberCodec<short, int>(type), new NumberCodec<short, long>(type),
        new NumberCodec<short, byte>(type), new NumberCodec<short, sbyte>(type), new NumberCodec<short, float>(type),
        new NumberCodec<short, double>(type), new NumberCodec<short, decimal>(type),
    ];

    private static IEnumerable<Codec> Int4(string type) =>
    [
        new NumberCodec<int, int>(type), new NumberCodec<int, long>(type), new NumberCodec<int, short>(type),
        new NumberCodec<int, byte>(type), new NumberCodec<int, sbyte>(type), new NumberCodec<int, float>(type),
        new NumberCodec<int, double>(type), new NumberCodec<int, decimal>(type),
    ];

    private static IEnumerable<Codec> Int8(string type) =>
    [
        new NumberCodec<long, long>(type), new NumberCodec<long, int>(type), new NumberCodec<long, short>(type),
        new NumberCodec<long, byte>(type), new NumberCodec<long, sbyte>(type), new NumberCodec<long, uint>(type),
        new NumberCodec<long, ulong>(type), new NumberCodec<long, float>(type), new NumberCodec<long, double>(type),
        new NumberCodec<long, decimal>(type),
    ];

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
