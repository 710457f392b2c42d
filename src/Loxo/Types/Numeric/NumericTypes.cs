using System.Numerics;

namespace Loxo.Types;

internal static class NumericTypes
{
    public static TypeEntry[] All(NumericPolicy policy, bool isLikeNpgsql) =>
    [
        Integer<short, int, long>(21, 1005, "int2", "smallint", PgDbType.Smallint, isLikeNpgsql),
        Integer<int, long, short>(23, 1007, "int4", "integer", PgDbType.Integer, isLikeNpgsql),
        Integer<long, int, short>(20, 1016, "int8", "bigint", PgDbType.Bigint, isLikeNpgsql,
            new NumberCodec<long, uint>("bigint"), new NumberCodec<long, ulong>("bigint")),
        Float<float, double>(700, 1021, "float4", "real", PgDbType.Real),
        Float<double, float>(701, 1022, "float8", "double precision", PgDbType.Double),
        TypeEntry.BuiltIn(1700, 1231, "numeric", "numeric", PgDbType.Numeric, () => Numeric(policy, isLikeNpgsql), new NumericTextFormat()),
        // The text of money depends on lc_monetary.
        TypeEntry.BuiltIn(790, 791, "money", "money", PgDbType.Money, static () => [new MoneyCodec()]),
    ];

    private static TypeEntry Integer<T, TSecond, TThird>(
        uint oid, uint array, string name, string display, PgDbType dbType, bool isLikeNpgsql, params Codec[] unsigned)
        where T : unmanaged, INumber<T>
        where TSecond : struct, INumber<TSecond>
        where TThird : struct, INumber<TThird> =>
        TypeEntry.BuiltIn(oid, array, name, display, dbType, () =>
        [
            new NumberCodec<T, T>(display), new NumberCodec<T, TSecond>(display), new NumberCodec<T, TThird>(display),
            new NumberCodec<T, byte>(display), new NumberCodec<T, sbyte>(display), .. unsigned,
            new NumberCodec<T, float>(display, isLikeNpgsql), new NumberCodec<T, double>(display, isLikeNpgsql),
            new NumberCodec<T, decimal>(display, isLikeNpgsql),
        ], new IntegerTextFormat<T>(display));

    private static TypeEntry Float<T, TOther>(uint oid, uint array, string name, string display, PgDbType dbType)
        where T : unmanaged, IBinaryFloatingPointIeee754<T>
        where TOther : struct, INumber<TOther> =>
        TypeEntry.BuiltIn(oid, array, name, display, dbType,
            () => [new NumberCodec<T, T>(display), new NumberCodec<T, TOther>(display)], new FloatTextFormat<T>(display));

    public static IEnumerable<Codec> Numeric(NumericPolicy policy, bool isLikeNpgsql = false)
    {
        var asDecimal = new NumericDecimalCodec(rounds: policy == NumericPolicy.Round, isLikeNpgsql);
        var exact = new NumericCodec();
        Codec[] first = policy == NumericPolicy.PgNumeric ? [exact, asDecimal] : [asDecimal, exact];
        return
        [
            .. first, new NumericWideIntegerCodec<BigInteger>(),
            new NumericIntegerCodec<int>(isLikeNpgsql), new NumericIntegerCodec<long>(isLikeNpgsql),
            new NumericIntegerCodec<short>(isLikeNpgsql), new NumericIntegerCodec<byte>(isLikeNpgsql),
            new NumericIntegerCodec<sbyte>(isLikeNpgsql), new NumericIntegerCodec<ushort>(isLikeNpgsql),
            new NumericIntegerCodec<uint>(isLikeNpgsql), new NumericIntegerCodec<ulong>(isLikeNpgsql),
            new NumericWideIntegerCodec<Int128>(), new NumericWideIntegerCodec<UInt128>(),
            new NumericFloatCodec<double>(), new NumericFloatCodec<float>(), new NumericStringCodec(),
        ];
    }
}

/// <summary>Whole numbers: digits with an optional sign, and blanks around them.</summary>
internal sealed class IntegerTextFormat<T>(string type) : TextFormat
    where T : unmanaged, INumber<T>
{
    private const NumberStyles Style = NumberStyles.AllowLeadingSign | NumberStyles.AllowLeadingWhite | NumberStyles.AllowTrailingWhite;

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        // .NET takes zeros behind a number for its end.
        if (text.Contains((byte)0) || !T.TryParse(text, Style, CultureInfo.InvariantCulture, out var number))
            throw TypeErrors.Malformed(type, text);
        FixedBytes.Write(binary, number);
    }

    public override string ToText(ReadOnlySpan<byte> binary) =>
        FixedBytes.Read<T>(binary, type).ToString(null, CultureInfo.InvariantCulture);
}

internal sealed class FloatTextFormat<T>(string type) : TextFormat
    where T : unmanaged, IBinaryFloatingPointIeee754<T>
{
    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        if (!FloatText.TryParse(Utf8.Read(text), out T number))
            throw TypeErrors.Malformed(type, text);
        FixedBytes.Write(binary, number);
    }

    public override string ToText(ReadOnlySpan<byte> binary) => FloatText.Show(FixedBytes.Read<T>(binary, type));
}

internal sealed class NumericTextFormat : TextFormat
{
    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        try
        {
            NumericText.Write(binary, Utf8.Read(text));
        }
        catch (InvalidCastException)
        {
            throw TypeErrors.Malformed("numeric", text);
        }
    }

    public override string ToText(ReadOnlySpan<byte> binary) => NumericText.ToText(new NumericView(binary));
}
