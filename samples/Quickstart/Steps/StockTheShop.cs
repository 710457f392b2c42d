using Loxo;

namespace Quickstart.Steps;

/// <summary>A batch: many statements, each with its own parameters, in one round trip.</summary>
internal static class StockTheShop
{
    private static readonly (string Name, string Email)[] Customers =
    [
        ("Ada", "ada@example.com"),
        ("Grace", "grace@example.com"),
        ("Edsger", "edsger@example.com"),
    ];

    private static readonly (string Name, decimal Price, int Stock)[] Products =
    [
        ("Notebook", 3.50m, 5000),
        ("Pencil", 0.80m, 20000),
        ("Compass", 12.00m, 300),
        ("Slide rule", 49.90m, 40),
    ];

    public static async Task<string> Run(PgConnection connection, CancellationToken token)
    {
        await using var batch = new PgBatch(connection);
        foreach (var (name, email) in Customers)
        {
            // Positional parameters: $1 is the first that was added, $2 the second. They have no names.
            var insert = new PgBatchCommand("INSERT INTO customers (name, email) VALUES ($1, $2)");
            insert.Parameters.AddWithValue(name);
            insert.Parameters.AddWithValue(email);
            batch.BatchCommands.Add(insert);
        }
        foreach (var (name, price, stock) in Products)
        {
            var insert = new PgBatchCommand("INSERT INTO products (name, price, stock) VALUES ($1, $2, $3)");
            insert.Parameters.AddWithValue(name);
            insert.Parameters.AddWithValue(price);
            insert.Parameters.AddWithValue(stock);
            batch.BatchCommands.Add(insert);
        }
        var rows = await batch.ExecuteNonQueryAsync(token);
        return $"{batch.BatchCommands.Count} statements, {rows} rows";
    }
}
