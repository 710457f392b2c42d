using Loxo;
using Microsoft.AspNetCore.Diagnostics.HealthChecks;
using Microsoft.AspNetCore.Http.Features;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;

namespace WebShop;

/// <summary>Puts the application together: services first, then endpoints.</summary>
internal static class ShopApplication
{
    private const string Page = """
        A shop on Loxo.

        GET  /products            all products; /products?tags=hot&tags=cake for some of them
        GET  /products/{id}       one product
        POST /orders              an order, such as {"productId": 1, "amount": 2}
        GET  /health              whether the database answers, and the state of the pool
        GET  /telemetry           spans and metrics since the start
        GET  /loxo                the dashboard: pool, connections, statements, errors, live

        """;

    // In Development the dashboard is open to everybody; a service in production adds RequireAuthorization to it.
    private static string EnvironmentName => Environment.GetEnvironmentVariable("ASPNETCORE_ENVIRONMENT") ?? Environments.Development;

    public static WebApplication Build(string[] args, string connectionString)
    {
        // The content root is not the current folder: that may be a big one, and the host watches it.
        var options = new WebApplicationOptions { Args = args, ContentRootPath = AppContext.BaseDirectory, EnvironmentName = EnvironmentName };
        var builder = WebApplication.CreateSlimBuilder(options);
        builder.Configuration["ConnectionStrings:shop"] = connectionString;
        builder.Logging.SetMinimumLevel(LogLevel.Warning)
            .AddFilter("Microsoft.Extensions.Hosting.Internal.Host", LogLevel.None); // Program.cs shows the errors of the start
        AddDatabase(builder);
        AddTelemetry(builder.Services);
        builder.Services.AddProblemDetails();

        var app = builder.Build();
        app.UseExceptionHandler();
        app.UseStatusCodePages();
        app.Use(NameSpan);
        Map(app);
        return app;
    }

    private static void AddDatabase(WebApplicationBuilder builder)
    {
        LoxoDapper.Register();
        var slow = builder.Configuration.GetValue("Shop:SlowCommand", TimeSpan.FromMilliseconds(250));
        builder.AddPgDataSource("shop", source => source
            .UseSlowCommandThreshold(slow) // slower ones are logged as warnings
            .UseStatementStatistics()); // for the dashboard
        builder.Services.AddPgWarmUp(options => options.Connections = 2);
        builder.Services.AddHealthChecks().AddPgDataSource("shop", timeout: TimeSpan.FromSeconds(3));
    }

    private static void AddTelemetry(IServiceCollection services)
    {
        services.AddSingleton<SpanTotals>().AddSingleton<MetricTotals>();
        services.AddOpenTelemetry()
            .WithTracing(tracing => tracing
                .AddSource("Microsoft.AspNetCore")
                .AddLoxo()
                .AddProcessor(provider => provider.GetRequiredService<SpanTotals>()))
            .WithMetrics(metrics => metrics
                .AddMeter("Microsoft.AspNetCore.Hosting")
                .AddLoxo()
                .AddReader(provider => provider.GetRequiredService<MetricTotals>().Reader));
    }

    // ASP.NET Core gives the spans of all requests one name.
    private static Task NameSpan(HttpContext context, RequestDelegate next)
    {
        if (context.Features.Get<IHttpActivityFeature>() is { } feature)
        {
            var route = (context.GetEndpoint() as RouteEndpoint)?.RoutePattern.RawText;
            feature.Activity.DisplayName = $"{context.Request.Method} {route}".TrimEnd();
        }
        return next(context);
    }

    private static void Map(WebApplication app)
    {
        app.MapGet("/", () => Page);
        app.MapGet("/products", Catalog.ListAsync);
        app.MapGet("/products/{id:int}", Catalog.FindAsync);
        app.MapPost("/orders", Ordering.PlaceAsync);
        app.MapGet("/telemetry", (SpanTotals spans, MetricTotals metrics) => $"{spans.ToText()}{Environment.NewLine}{metrics.ToText()}");
        app.MapPgDashboard(configure: dashboard => dashboard.AllowPlans = true);
        app.MapHealthChecks("/health", new HealthCheckOptions { ResponseWriter = HealthAnswer.WriteAsync });
    }
}
