using System.Numerics;

namespace Loxo.Types;

internal sealed class NumericCodec : ValueCodec<PgNumeric>
{
    public override PgNumeric Read(ReadOnlySpan<byte> value) => PgNumeric.FromBinary(value);

    public override void Write(MessageWriter writer, PgNumeric value) => writer.WriteBytes(value.Binary);
}

/// <param name="rounds">Whether digits that decimal cannot hold are rounded off.</param>
/// <param name="isLikeNpgsql">Whether NaN has no form in decimal, instead of being out of its range.</param>
internal sealed class NumericDecimalCodec(bool rounds, bool isLikeNpgsql = false) : ValueCodec<decimal>
{
    public override decimal Read(ReadOnlySpan<byte> value)
    {
        if (isLikeNpgsql)
            NumericDecimal.RefuseNaN(value);
        return rounds ? NumericDecimal.ReadRounded(value) : NumericDecimal.Read(value);
    }

    public override void Write(MessageWriter writer, decimal value) => NumericDecimal.Write(writer, value);
}

/// <param name="isLikeNpgsql">Whether a fraction is cut off, and NaN has no form in a number.</param>
internal sealed class NumericIntegerCodec<T>(bool isLikeNpgsql = false) : ValueCodec<T>
    where T : struct, INumber<T>
{
    public override T Read(ReadOnlySpan<byte> value)
    {
        if (isLikeNpgsql)
            NumericDecimal.RefuseNaN(value);
        var number = NumericDecimal.Read(value);
        return Number.FromServer<decimal, T>(isLikeNpgsql ? Number.Whole(number) : number, "numeric");
    }

    public override void Write(MessageWriter writer, T value) =>
        NumericDecimal.Write(writer, Number.ToServer<T, decimal>(value, "numeric"));
}

internal sealed class NumericFloatCodec<T> : ValueCodec<T>
    where T : struct, INumber<T>
{
    // The shortest text of a double that reads back the same has at most 24 characters.
    private const int MostCharacters = 32;

    public override T Read(ReadOnlySpan<byte> value)
    {
        var numeric = new NumericView(value);
        var number = NumericText.ToNumber<T>(numeric);
        if (T.IsInfinity(number) && numeric.Special is null) // digits beyond the largest number parse as infinity
        {
            throw TypeErrors.OutOfRange($"The numeric value {NumericText.Abbreviate(numeric)}", ClrNames.Of(typeof(T)),
                "Read it as PgNumeric, BigInteger or string");
        }
        return number;
    }

    public override void Write(MessageWriter writer, T value)
    {
        Span<char> text = stackalloc char[MostCharacters];
        value.TryFormat(text, out var length, "R", CultureInfo.InvariantCulture);
        NumericText.Write(writer, text[..length]);
    }
}

/// <summary>numeric without digits after the point as a whole number with more digits than decimal.</summary>
internal sealed class NumericWideIntegerCodec<T> : ValueCodec<T>
    where T : struct, IBinaryInteger<T>
{
    public override T Read(ReadOnlySpan<byte> value)
    {
        var numeric = new NumericView(value);
        if (numeric.Special is not null || numeric.HasFraction)
        {
            throw TypeErrors.NoForm($"The numeric value {NumericText.Abbreviate(numeric)}", typeof(T).Name,
                "Read it as PgNumeric, decimal, double or string");
        }
        try
        {
            return NumericText.ToNumber<T>(numeric);
        }
        catch (OverflowException)
        {
            throw TypeErrors.OutOfRange($"The numeric value {NumericText.Abbreviate(numeric)}", typeof(T).Name,
                "Read it as BigInteger or PgNumeric");
        }
    }

    public override void Write(MessageWriter writer, T value) =>
        NumericText.Write(writer, value.ToString(null, CultureInfo.InvariantCulture));
}

/// <summary>numeric as decimal text: every value, with all its digits.</summary>
internal sealed class NumericStringCodec : ReferenceCodec<string>
{
    public override string Read(ReadOnlySpan<byte> value) => NumericText.ToText(new NumericView(value));

    public override void Write(MessageWriter writer, string value) => NumericText.Write(writer, value);
}

/// <summary>money: cents in 8 bytes (cash_send, cash.c).</summary>
internal sealed class MoneyCodec : ValueCodec<decimal>
{
    // The number of decimals follows the server's lc_monetary, which the wire does not tell; nearly every one has two.
    private const byte Decimals = 2;

    public override decimal Read(ReadOnlySpan<byte> value)
    {
        var cents = FixedBytes.Read<long>(value, "money");
        var magnitude = cents < 0 ? (ulong)-cents : (ulong)cents;
        return new decimal((int)magnitude, (int)(magnitude >> 32), 0, cents < 0, Decimals);
    }

    // Rounds as the server does when it makes money of a numeric (numeric_cash): half away from zero.
    public override void Write(MessageWriter writer, decimal value)
    {
        var rounded = decimal.Round(value, Decimals, MidpointRounding.AwayFromZero);
        if (rounded is > 92233720368547758.07m or < -92233720368547758.08m)
        {
            throw TypeErrors.OutOfRange(string.Create(CultureInfo.InvariantCulture, $"The value {value}"), "PostgreSQL type money",
                "Write it as numeric");
        }
        writer.WriteInt64((long)(rounded * 100));
    }
}
