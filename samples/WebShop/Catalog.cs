using Dapper;
using Loxo;

namespace WebShop;

/// <summary>A product as it is now.</summary>
internal sealed record Product
{
    public int Id { get; init; }

    public required string Name { get; init; }

    public decimal Price { get; init; }

    public int Stock { get; init; }

    public required string[] Tags { get; init; }
}

/// <summary>Reads products with Dapper, which opens the connection and closes it again.</summary>
internal static class Catalog
{
    private const string Columns = "SELECT id, name, price, stock, tags FROM products ";

    /// <summary>Lists the products that have one of the tags; all of them if there are no tags.</summary>
    public static async Task<IResult> ListAsync(string[] tags, PgConnection connection, CancellationToken token)
    {
        const string Sql = Columns + "WHERE cardinality(@tags) = 0 OR tags && @tags ORDER BY id";
        return TypedResults.Ok(await connection.QueryAsync<Product>(new CommandDefinition(Sql, new { tags }, cancellationToken: token)));
    }

    public static async Task<IResult> FindAsync(int id, PgConnection connection, CancellationToken token)
    {
        const string Sql = Columns + "WHERE id = @id";
        var product = await connection.QuerySingleOrDefaultAsync<Product>(new CommandDefinition(Sql, new { id }, cancellationToken: token));
        return product is null
            ? TypedResults.Problem($"There is no product {id}.", statusCode: StatusCodes.Status404NotFound)
            : TypedResults.Ok(product);
    }
}
