using System.Diagnostics;
using System.Net;
using Loxo;

namespace WebShop;

/// <summary>Customers of the shop, who order by HTTP; afterwards the stock is compared with their orders.</summary>
internal sealed class LoadGenerator(WebApplication app) : IDisposable
{
    private const int Callers = 8;

    private readonly HttpClient _http = new() { BaseAddress = new Uri(app.Urls.First()) };
    private long _requests;
    private long _orders;
    private long _pieces;
    private long _invalid;
    private long _soldOut;

    /// <summary>Sends requests for a time and prints what came of them. Returns whether stock, orders and answers agree.</summary>
    public async Task<bool> RunAsync(TimeSpan time, CancellationToken token)
    {
        Console.WriteLine($"{Callers} callers for {time.TotalSeconds} s at {_http.BaseAddress}");
        var before = await StockAsync(token);
        var start = Stopwatch.GetTimestamp();
        await Task.WhenAll(Enumerable.Range(0, Callers).Select(caller => CallAsync(new Random(caller), start, time, token)));
        var seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;

        Console.WriteLine($"  requests        {_requests:N0}, {_requests / seconds:N0} a second");
        Console.WriteLine($"  orders          {_orders:N0}");
        Console.WriteLine($"  refused orders  {_invalid + _soldOut:N0}: {_invalid:N0} invalid, {_soldOut:N0} with too little in stock");
        PrintSlowest("request", "Microsoft.AspNetCore");
        PrintSlowest("command", "Loxo");
        Console.WriteLine($"  health          {await _http.GetStringAsync("/health", token)}");
        return await CheckAsync(before - await StockAsync(token), token);
    }

    public void Dispose() => _http.Dispose();

    private async Task CallAsync(Random random, long start, TimeSpan time, CancellationToken token)
    {
        while (Stopwatch.GetElapsedTime(start) < time)
        {
            await (random.Next(10) switch
            {
                0 => ReadAsync("/products?tags=hot&tags=cake", token),
                < 4 => ReadAsync($"/products/{random.Next(1, 7)}", token),
                4 => OrderAsync(new OrderRequest(random.Next(1, 7), 0), token),
                5 => OrderAsync(new OrderRequest(99, 1), token),
                _ => OrderAsync(new OrderRequest(random.Next(1, 7), random.Next(1, 4)), token),
            });
            Interlocked.Increment(ref _requests);
        }
    }

    private async Task ReadAsync(string path, CancellationToken token)
    {
        using var answer = await _http.GetAsync(path, token);
        answer.EnsureSuccessStatusCode();
    }

    private async Task OrderAsync(OrderRequest order, CancellationToken token)
    {
        using var answer = await _http.PostAsJsonAsync("/orders", order, token);
        switch (answer.StatusCode)
        {
            case HttpStatusCode.BadRequest:
                Interlocked.Increment(ref _invalid);
                break;
            case HttpStatusCode.Conflict:
                Interlocked.Increment(ref _soldOut);
                break;
            default:
                answer.EnsureSuccessStatusCode();
                Interlocked.Increment(ref _orders);
                Interlocked.Add(ref _pieces, order.Amount);
                break;
        }
    }

    private void PrintSlowest(string what, string source)
    {
        if (app.Services.GetRequiredService<SpanTotals>().Slowest(source) is var (name, duration))
            Console.WriteLine($"  slowest {what} {name}: {duration.TotalMilliseconds:N1} ms");
    }

    private async Task<long> StockAsync(CancellationToken token) =>
        (await _http.GetFromJsonAsync<Product[]>("/products", token))!.Sum(product => (long)product.Stock);

    private async Task<bool> CheckAsync(long taken, CancellationToken token)
    {
        var dataSource = app.Services.GetRequiredService<PgDataSource>();
        await using var command = dataSource.CreateCommand("SELECT count(*), coalesce(sum(amount), 0) FROM orders");
        await using var reader = await command.ExecuteReaderAsync(token);
        await reader.ReadAsync(token);
        var (orders, ordered) = (reader.GetInt64(0), reader.GetInt64(1));

        var agrees = orders == _orders && ordered == _pieces && taken == ordered;
        Console.WriteLine($"  stock           {taken:N0} taken, {ordered:N0} in {orders:N0} orders, {_pieces:N0} in {_orders:N0} answers");
        Console.WriteLine(agrees ? "Done: stock and orders agree." : "Stock and orders do not agree.");
        return agrees;
    }
}
