using ChangeCapture;
using Loxo;
using Loxo.Embedded;

// A search index follows a shop: it begins with the products that are there, and takes each change as it is committed, although the server
// ends its connection in between.

using var interrupted = new CancellationTokenSource();
Console.CancelKeyPress += (_, e) =>
{
    e.Cancel = true;
    interrupted.Cancel();
};

try
{
    Console.WriteLine("Starting a PostgreSQL (fetched first if there is none)...");
    var options = new PgEmbeddedServerOptions { Acquire = PgAcquire.All, WalLevel = PgWalLevel.Logical };
    await using var server = await PgEmbeddedServer.StartAsync(options, interrupted.Token);
    await using var dataSource = PgDataSource.Create(server.ConnectionString);
    await RunAsync("CREATE TABLE product (id int PRIMARY KEY, name text NOT NULL, price numeric NOT NULL)");
    await RunAsync("INSERT INTO product VALUES (1, 'tea', 4.50), (2, 'coffee', 6.20)");
    await RunAsync("CREATE PUBLICATION shop FOR TABLE product");

    var index = new SearchIndex(dataSource);
    var following = index.FollowAsync(interrupted.Token);
    await index.UntilAsync(following, products => products.Count == 2);

    await RunAsync("INSERT INTO product VALUES (3, 'cocoa', 5.00)");
    await RunAsync("UPDATE product SET price = price * 1.1");
    await index.UntilAsync(following, products => products.GetValueOrDefault(3)?.Price == 5.50m);

    Console.WriteLine("-- The server ends the connection of the index, and the shop goes on.");
    await RunAsync("SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE active");
    await RunAsync("DELETE FROM product WHERE name = 'tea'");
    await RunAsync("UPDATE product SET name = 'espresso' WHERE id = 2");
    await index.UntilAsync(following, products => products.Count == 2 && products[2].Name == "espresso");

    var names = index.Products.OrderBy(product => product.Key).Select(product => product.Value.Name);
    Console.WriteLine($"Done: the index has {string.Join(" and ", names)}.");
    return 0;

    async Task RunAsync(string sql)
    {
        await using var command = dataSource.CreateCommand(sql);
        await command.ExecuteNonQueryAsync(interrupted.Token);
    }
}
catch (OperationCanceledException) when (interrupted.IsCancellationRequested)
{
    Console.Error.WriteLine("Interrupted.");
    return 130;
}
catch (Exception e) when (e is PgException or PgEmbeddedServerException)
{
    Console.Error.WriteLine($"Error: {e.Message.ReplaceLineEndings(" ")}");
    return 1;
}
