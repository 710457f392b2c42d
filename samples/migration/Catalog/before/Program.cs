using Catalog;
using Npgsql;

// A service on Dapper: the catalogue of a shop.
if (args.Length != 1)
{
    Console.Error.WriteLine("Usage: Catalog CONNECTION_STRING");
    return 2;
}

await using var dataSource = NpgsqlDataSource.Create(args[0] + ";Search Path=catalog");
var catalogue = new ProductCatalogue(dataSource);
await catalogue.CreateAsync();
try
{
    await catalogue.AddAsync(
        new(1, "lamp", 40m, ["light", "home"]), new(2, "chair", 89.5m, ["home"]), new(3, "torch", 12m, ["light", "outdoor"]),
        new(4, "rope", 7m, []));
    foreach (var product in await catalogue.FindAsync([1, 3, 4]))
        Console.WriteLine($"{product.Id} {product.Name} {product.Price} {string.Join('+', product.Tags)}");
    Console.WriteLine(string.Join(", ", await catalogue.NamesWithAnyTagAsync(new List<string> { "home", "outdoor" })));
    await catalogue.OrderAsync(1, 2, 3);
    await catalogue.OrderAsync(4, 1, 3);
    foreach (var order in await catalogue.OrdersAsync())
        Console.WriteLine($"order {order.Id}: {string.Join(", ", order.Products.Select(product => product.Name))}");
    var (count, mostExpensive) = await catalogue.SummaryAsync();
    Console.WriteLine($"{count} products, the most expensive costs {mostExpensive}");
    Console.WriteLine(await catalogue.TryAddAsync(new(2, "bench", 120m, [])) ? "added" : "there is one with this number");
}
finally
{
    await catalogue.DropAsync();
}
return 0;
