using System.Diagnostics;
using System.Globalization;
using Loxo;

namespace Quickstart.Steps;

/// <summary>
/// A statement that runs often: prepared once, so that the server parses it once. The command and its parameters are used again, and
/// PgParameter of T holds a value without boxing it.
/// </summary>
internal static class SellOut
{
    private const int Times = 1000;

    public static async Task<string> Run(PgConnection connection)
    {
        await using var update = new PgCommand("UPDATE products SET stock = stock - $1 WHERE id = $2 RETURNING stock", connection);
        var quantity = new PgParameter<int>(1);
        var product = new PgParameter<int>(1);
        update.Parameters.Add(quantity);
        update.Parameters.Add(product);
        await update.PrepareAsync();

        await using var transaction = await connection.BeginTransactionAsync();
        var start = Stopwatch.GetTimestamp();
        var stock = 0;
        for (var i = 0; i < Times; i++)
        {
            product.TypedValue = 1 + i % 2;
            stock = (int)update.ExecuteScalar()!;
        }
        var each = Stopwatch.GetElapsedTime(start) / Times;
        await transaction.CommitAsync();
        return string.Create(CultureInfo.InvariantCulture, $"{Times} updates, {each.TotalMicroseconds:N0} us each; {stock} left");
    }
}
