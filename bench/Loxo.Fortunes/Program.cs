using System.Net;
using Loxo.Fortunes;

// TechEmpower's Fortunes as an application: ./bench/run --fortunes starts it once for each variant, with the arguments of
// FortuneSource.Create.
// It prints its port and serves until its standard input ends, as it also does when the benchmark dies.
var source = FortuneSource.Create(args[0], args[1]);
var builder = WebApplication.CreateSlimBuilder();
builder.Logging.ClearProviders();
builder.WebHost.ConfigureKestrel(options => options.Listen(IPAddress.Loopback, 0));
await using var application = builder.Build();
application.MapGet("/fortunes", (RequestDelegate)(async context =>
{
    var fortunes = await source.ReadAsync();
    context.Response.ContentType = FortunePage.ContentType;
    FortunePage.Write(context.Response.BodyWriter, fortunes);
}));
await application.StartAsync();
Console.WriteLine(new Uri(application.Urls.Single()).Port);
await Console.In.ReadToEndAsync();
