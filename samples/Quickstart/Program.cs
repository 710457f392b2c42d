using Loxo;
using Loxo.Embedded;
using Quickstart;
using Quickstart.Steps;
using Quickstart.Story;

// Read this file for the order of things, Steps/ for how each is done, and Story/ for what is fast and what is not.

if (!Arguments.TryParse(args, out var arguments, out var complaint))
{
    Console.Error.WriteLine($"{complaint} Try --help.");
    return 1;
}
if (arguments.Help)
{
    Console.WriteLine(Arguments.Usage);
    return 0;
}

// Ctrl+C cancels what runs, so that the schema and the server are still removed.
using var interrupted = new CancellationTokenSource();
Console.CancelKeyPress += (_, e) =>
{
    e.Cancel = true;
    interrupted.Cancel();
};

try
{
    var account = new Account(Console.Out);
    await using var database = await ShopDatabase.OpenAsync(arguments.ConnectionString, account, interrupted.Token);
    await using var connection = await database.DataSource.OpenConnectionAsync(interrupted.Token);

    await account.Step("Create the tables, four statements in one command", () => CreateTables.Run(connection, interrupted.Token));
    await account.Step("Stock the shop with a batch, one round trip", () => StockTheShop.Run(connection, interrupted.Token));
    await account.Step("Place an order in a transaction", () => PlaceOrder.Run(connection, interrupted.Token));
    await account.Step("List the products, blocking", () => ListProducts.Run(connection));
    await account.Step("Join four tables with parameters, asynchronously", () => CustomerReport.Run(connection, interrupted.Token));
    await account.Step("Run a prepared statement in a loop", () => SellOut.Run(connection));
    await account.Step("Break a unique constraint, and go on", () => DuplicateCustomer.Run(connection, interrupted.Token));
    await account.Step("Fail inside a transaction, go back to a savepoint", () => SaveThePoint.Run(connection, interrupted.Token));
    await account.Step("Cancel a command with a token", () => CancelACommand.Run(connection, interrupted.Token));
    await account.Step("Let a command time out", () => TimeOut.Run(connection, interrupted.Token));
    await account.Step("Move stock in a pipeline, over a link of 50 ms", () => MoveStock.Run(database, interrupted.Token));
    await account.Step("Load 100,000 rows with a bulk copy", () => LoadVisits.Run(connection, interrupted.Token));
    await account.Step("Export them as objects", () => ExportVisits.Run(database, interrupted.Token));
    await account.Step("Share a few sessions with Multiplexing=true", () => ShareSessions.Run(database, interrupted.Token));
    await StoryTable.Tell(database, Console.Out, interrupted.Token);
    account.End();
    return 0;
}
catch (OperationCanceledException) when (interrupted.IsCancellationRequested)
{
    Console.Error.WriteLine("Interrupted.");
    return 130;
}
catch (Exception e) when (e is PgException or PgEmbeddedServerException or ArgumentException or NotSupportedException)
{
    Console.Error.WriteLine($"Error: {e.Message.ReplaceLineEndings(" ")}");
    return 1;
}
