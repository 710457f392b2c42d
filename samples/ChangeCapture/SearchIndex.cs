using System.Collections.Concurrent;
using Loxo;

namespace ChangeCapture;

/// <summary>The products as the index knows them.</summary>
internal sealed class SearchIndex(PgDataSource dataSource)
{
    private readonly ConcurrentDictionary<int, Product> _products = [];
    private volatile TaskCompletionSource _changed = new();

    public IReadOnlyDictionary<int, Product> Products => _products;

    public async Task FollowAsync(CancellationToken token)
    {
        var changes = dataSource.CreateChangeStream("search_index", "shop", new PgChangeStreamOptions { InitialRead = ReadAllAsync });
        await foreach (var transaction in changes.ReadAsync(token))
        {
            foreach (var change in transaction.Changes)
                Apply(change);
            changes.Acknowledge(transaction);
            Changed();
        }
    }

    public async Task UntilAsync(Task following, Func<IReadOnlyDictionary<int, Product>, bool> isReached)
    {
        while (true)
        {
            var changed = _changed.Task;
            if (isReached(_products))
                return;
            await (await Task.WhenAny(changed, following));
        }
    }

    // The state just before the first change that comes.
    private async Task ReadAllAsync(PgConnection connection, CancellationToken token)
    {
        await using var command = new PgCommand("SELECT id, name, price FROM product", connection);
        await using var reader = await command.ExecuteReaderAsync(token);
        while (await reader.ReadAsync(token))
            Set(reader.GetInt32(0), new Product(reader.GetString(1), reader.GetDecimal(2)), "there already");
        Changed();
    }

    private void Apply(TransactionalMessage change)
    {
        switch (change)
        {
            case InsertMessage insert:
                Set(insert.NewRow, "inserted");
                break;
            case UpdateMessage update:
                if (update is IndexUpdateMessage { Key: var key })
                    Remove(key);
                Set(update.NewRow, "updated");
                break;
            case KeyDeleteMessage delete:
                Remove(delete.Key);
                break;
        }
    }

    private void Set(ReplicationTuple row, string what) =>
        Set(row["id"].Read<int>(), new Product(row["name"].Read<string>(), row["price"].Read<decimal>()), what);

    private void Set(int id, Product product, string what)
    {
        _products[id] = product;
        Console.WriteLine($"  {what}: {product.Name}");
    }

    private void Remove(ReplicationTuple key)
    {
        if (_products.TryRemove(key["id"].Read<int>(), out var product))
            Console.WriteLine($"  deleted: {product.Name}");
    }

    private void Changed() => Interlocked.Exchange(ref _changed, new TaskCompletionSource()).SetResult();
}
