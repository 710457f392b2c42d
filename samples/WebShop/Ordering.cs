using System.Text.Json;
using Loxo;

namespace WebShop;

/// <summary>The body of POST /orders.</summary>
internal sealed record OrderRequest(int ProductId, int Amount);

/// <summary>A placed order.</summary>
internal sealed record Order(long Id, int ProductId, int Amount, decimal Total);

/// <summary>Places orders: one transaction and one batch each, in plain ADO.NET.</summary>
internal static class Ordering
{
    // The lock keeps the stock as it is until the transaction ends.
    private const string LockProduct = "SELECT name, stock FROM products WHERE id = $1 FOR UPDATE";

    // Without enough in stock nothing is updated, and so nothing is inserted.
    private const string TakeAndInsert = """
        WITH taken AS (UPDATE products SET stock = stock - $2 WHERE id = $1 AND stock >= $2 RETURNING id, price)
        INSERT INTO orders (product_id, amount, total) SELECT id, $2, price * $2 FROM taken RETURNING id, total
        """;

    public static async Task<IResult> PlaceAsync(HttpRequest http, PgDataSource dataSource, CancellationToken token)
    {
        if (await ReadAsync(http, token) is not { } request)
            return Refused(StatusCodes.Status400BadRequest, """An order is JSON of the form {"productId": 1, "amount": 2}.""");
        if (request.Amount <= 0)
            return Refused(StatusCodes.Status400BadRequest, $"The amount must be 1 or more, not {request.Amount}.");
        return await dataSource.InTransactionAsync(
            (connection, _, cancellation) => PlaceAsync(connection, request, cancellation), cancellationToken: token);
    }

    private static async Task<IResult> PlaceAsync(PgConnection connection, OrderRequest request, CancellationToken token)
    {
        await using var batch = new PgBatch(connection)
        {
            BatchCommands =
            {
                new PgBatchCommand(LockProduct) { Parameters = { new PgParameter<int>(request.ProductId) } },
                new PgBatchCommand(TakeAndInsert)
                {
                    Parameters = { new PgParameter<int>(request.ProductId), new PgParameter<int>(request.Amount) },
                },
            },
        };
        await using var reader = await batch.ExecuteReaderAsync(token);
        if (!await reader.ReadAsync(token))
            return Refused(StatusCodes.Status400BadRequest, $"There is no product {request.ProductId}.");
        var (name, stock) = (reader.GetString(0), reader.GetInt32(1));

        await reader.NextResultAsync(token);
        if (!await reader.ReadAsync(token))
            return Refused(StatusCodes.Status409Conflict, $"There are {stock} of '{name}' in stock, fewer than {request.Amount}.");
        return TypedResults.Created((string?)null, new Order(reader.GetInt64(0), request.ProductId, request.Amount, reader.GetDecimal(1)));
    }

    private static async Task<OrderRequest?> ReadAsync(HttpRequest http, CancellationToken token)
    {
        try
        {
            return http.HasJsonContentType() ? await http.ReadFromJsonAsync<OrderRequest>(token) : null;
        }
        catch (JsonException)
        {
            return null;
        }
    }

    private static IResult Refused(int status, string why) => TypedResults.Problem(why, statusCode: status);
}
