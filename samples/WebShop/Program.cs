using Loxo;
using Loxo.Embedded;
using Microsoft.Extensions.Options;
using WebShop;

// A shop as a web service. It serves until Ctrl+C. With "--load 5" callers of its own drive it for 5 seconds and check the result.
// Other arguments are settings of the application, such as "--urls http://localhost:8080" or "--Loxo:shop:MaximumPoolSize 3".

if (!TryGetLoad(args, out var load))
{
    Console.Error.WriteLine("--load needs a number of seconds from 1 up, such as --load 5.");
    return 1;
}
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
    await using var app = ShopApplication.Build(args, server.ConnectionString);
    await Schema.CreateAsync(app.Services.GetRequiredService<PgDataSource>(), interrupted.Token);
    if (load is not null)
    {
        app.Urls.Clear();
        app.Urls.Add("http://127.0.0.1:0"); // any free port
    }
    await app.StartAsync(interrupted.Token);

    var succeeded = load is { } time ? await LoadAsync(app, time) : await ServeAsync(app);
    await app.StopAsync(CancellationToken.None);
    return succeeded ? 0 : 1;
}
catch (Exception e) when (interrupted.IsCancellationRequested && (e is OperationCanceledException or HttpRequestException))
{
    Console.Error.WriteLine("Interrupted.");
    return 130;
}
catch (Exception e) when (e is PgException or PgEmbeddedServerException or OptionsValidationException or InvalidOperationException
    or HttpRequestException or IOException)
{
    Console.Error.WriteLine($"Error: {e.Message.ReplaceLineEndings(" ")}");
    return 1;
}

async Task<bool> LoadAsync(WebApplication app, TimeSpan time)
{
    using var generator = new LoadGenerator(app);
    return await generator.RunAsync(time, interrupted.Token);
}

// The host stops at Ctrl+C and SIGTERM by itself.
async Task<bool> ServeAsync(WebApplication app)
{
    Console.WriteLine($"The shop is open at {string.Join(", ", app.Urls)}. Ctrl+C closes it.");
    await app.WaitForShutdownAsync(CancellationToken.None);
    return true;
}

static bool TryGetLoad(string[] args, out TimeSpan? load)
{
    load = null;
    var at = Array.IndexOf(args, "--load");
    if (at < 0)
        return true;
    if (!int.TryParse(args.ElementAtOrDefault(at + 1), out var seconds) || seconds <= 0)
        return false;
    load = TimeSpan.FromSeconds(seconds);
    return true;
}
