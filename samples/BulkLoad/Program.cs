using System.Diagnostics;
using BulkLoad;
using Loxo;
using Loxo.Embedded;

// Loads a CSV file into a table and exports the table to another. Lines that hold no sale are reported, and of several sales with one
// id the last one counts. With the path of a file of the same columns as an argument, that file is loaded.

const int Sales = 200_000;
const string Schema = "CREATE TABLE sales (id int PRIMARY KEY, sold_on date NOT NULL, product text NOT NULL, pieces int CHECK (pieces > 0), price numeric)";

using var interrupted = new CancellationTokenSource();
Console.CancelKeyPress += (_, e) =>
{
    e.Cancel = true;
    interrupted.Cancel();
};
var folder = Directory.CreateTempSubdirectory("bulk-load-");

try
{
    Console.WriteLine("Starting a PostgreSQL (fetched first if there is none)...");
    await using var server = await PgEmbeddedServer.StartAsync(new PgEmbeddedServerOptions { Acquire = PgAcquire.All }, interrupted.Token);
    await using var dataSource = PgDataSource.Create(server.ConnectionString);
    await using (var command = dataSource.CreateCommand(Schema))
        await command.ExecuteNonQueryAsync(interrupted.Token);

    var file = new SalesFile(args is [var given] ? given : Path.Combine(folder.FullName, "sales.csv"));
    if (args.Length == 0)
        await file.WriteAsync(Sales, interrupted.Token);

    await LoadAsync(dataSource, file);
    await ExportAsync(dataSource, Path.Combine(folder.FullName, "exported.csv"));
    return 0;
}
catch (OperationCanceledException) when (interrupted.IsCancellationRequested)
{
    Console.Error.WriteLine("Interrupted: the table is as it was.");
    return 130;
}
catch (Exception e) when (e is PgException or PgEmbeddedServerException or IOException)
{
    Console.Error.WriteLine($"Error: {e.Message.ReplaceLineEndings(" ")}");
    return 1;
}
finally
{
    folder.Delete(recursive: true);
}

async Task LoadAsync(PgDataSource dataSource, SalesFile file)
{
    var bulk = new PgBulkCopy(dataSource)
    {
        DestinationTableName = "sales",
        Conflict = PgBulkCopyConflict.Update, // by the primary key
        NotifyAfter = 50_000,
    };
    bulk.RowsCopied += (_, e) => Console.WriteLine($"  {e.RowsCopied:N0} rows");
    var result = await bulk.WriteToServerAsync(file.Read(), interrupted.Token);
    Console.WriteLine($"Loaded {result.RowsCopied:N0} rows in {result.Duration.TotalSeconds:0.0} s, "
        + $"{result.RowsCopied / result.Duration.TotalSeconds:N0} a second: {result.RowsInserted:N0} new, {result.RowsIgnored:N0} with the id of a later one.");
    foreach (var (line, why) in file.Rejected.Take(3))
        Console.WriteLine($"  line {line} was left out: {why}");
    Console.WriteLine($"{file.Rejected.Count:N0} lines were left out.");
}

async Task ExportAsync(PgDataSource dataSource, string path)
{
    var clock = Stopwatch.StartNew();
    var lines = 0;
    await using var connection = await dataSource.OpenConnectionAsync(interrupted.Token);
    using var reader = await connection.BeginTextExportAsync("COPY (TABLE sales ORDER BY id) TO STDOUT (FORMAT csv, HEADER)", interrupted.Token);
    await using var output = new StreamWriter(path);
    while (await reader.ReadLineAsync(interrupted.Token) is { } line)
    {
        await output.WriteLineAsync(line.AsMemory(), interrupted.Token);
        lines++;
    }
    Console.WriteLine($"Exported {lines - 1:N0} rows in {clock.Elapsed.TotalSeconds:0.0} s.");
}
