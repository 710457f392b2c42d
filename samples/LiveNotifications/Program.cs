using Loxo;
using Loxo.Embedded;
using LiveNotifications;

// A board shows the stock of a shop and follows every change, although its connection is lost in between. It never polls: a trigger notifies
// the board of what has changed, and a gap marker tells it when to read everything again.

using var interrupted = new CancellationTokenSource();
Console.CancelKeyPress += (_, e) =>
{
    e.Cancel = true;
    interrupted.Cancel();
};

try
{
    Console.WriteLine("Starting a PostgreSQL (fetched first if there is none)...");
    await using var server = await PgEmbeddedServer.StartAsync(new PgEmbeddedServerOptions { Acquire = PgAcquire.All }, interrupted.Token);
    await using var dataSource = PgDataSource.Create(server.ConnectionString);
    var shop = new Shop(dataSource);
    await shop.CreateAsync(interrupted.Token);

    var board = new Board(dataSource);
    using var closing = CancellationTokenSource.CreateLinkedTokenSource(interrupted.Token);
    var watching = board.WatchAsync(closing.Token);
    await board.UntilAsync("tea", 20, watching);

    await shop.SellAsync("coffee", 3, interrupted.Token);
    await shop.SellAsync("tea", 1, interrupted.Token);
    await board.UntilAsync("tea", 19, watching);

    Console.WriteLine("-- The server ends the board's connection, and the shop goes on selling.");
    await shop.DisconnectListenersAsync(interrupted.Token);
    await shop.SellAsync("coffee", 7, interrupted.Token);
    await shop.SellAsync("tea", 4, interrupted.Token);
    await board.UntilAsync("coffee", 0, watching);
    await board.UntilAsync("tea", 15, watching);

    await closing.CancelAsync();
    await watching.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    Console.WriteLine("Done: the board shows what the database has.");
    return 0;
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
