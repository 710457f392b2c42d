namespace Loxo.Types;

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
