using System.Collections.Concurrent;
using System.Security.Claims;
using System.Text.Encodings.Web;
using System.Text.Json;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Loxo.AspNetCore.Tests;

/// <summary>A web application on a free port of Kestrel, with a dashboard and a data source of the test's server.</summary>
internal sealed class Site : IAsyncDisposable
{
    /// <summary>The request header whose value is the role of the caller; without it the caller is anonymous.</summary>
    public const string RoleHeader = "X-Test-Role";

    private readonly WebApplication _app;
    private readonly CapturedLog _log;

    private Site(WebApplication app, CapturedLog log, string path)
    {
        (_app, _log) = (app, log);
        Address = app.Urls.First();
        Dashboard = Address + path;
    }

    /// <summary>The address of the application.</summary>
    public string Address { get; }

    /// <summary>The address of the dashboard.</summary>
    public string Dashboard { get; }

    public WebApplication App => _app;

    public PgDataSource DataSource => _app.Services.GetRequiredService<PgDataSource>();

    /// <summary>The warnings and errors so far.</summary>
    public IReadOnlyCollection<string> Warnings => _log.Entries;

    /// <summary>Starts one.</summary>
    /// <param name="services">Adds services; null for the data source alone.</param>
    /// <param name="map">Maps the dashboard; null for the default.</param>
    /// <param name="environment">The environment.</param>
    /// <param name="path">The path of the dashboard.</param>
    /// <param name="settings">Added to the connection string.</param>
    public static async Task<Site> StartAsync(
        Action<WebApplicationBuilder>? services = null, Action<WebApplication>? map = null, string? environment = null,
        string path = "/loxo", string settings = "")
    {
        var options = new WebApplicationOptions { EnvironmentName = environment ?? Environments.Development, ApplicationName = "Test shop" };
        var builder = WebApplication.CreateEmptyBuilder(options);
        builder.WebHost.UseKestrelCore().UseUrls("http://127.0.0.1:0");
        builder.Services.AddRoutingCore().AddAuthorization(static roles => roles.AddPolicy("operators", static policy => policy.RequireRole("operator")));
        builder.Services.AddAuthentication("test").AddScheme<AuthenticationSchemeOptions, ByHeader>("test", null);
        var log = new CapturedLog();
        builder.Logging.AddProvider(log);
        builder.Services.AddPgDataSource(TestServer.Default.ConnectionString + settings, static source =>
        {
            source.Name = "main";
            source.UseStatementStatistics();
        });
        services?.Invoke(builder);
        var app = builder.Build();
        app.UseRouting();
        app.UseAuthentication();
        app.UseAuthorization();
        if (map is null)
            app.MapPgDashboard(configure: Quick);
        else
            map(app);
        await app.StartAsync();
        return new Site(app, log, path);
    }

    /// <summary>Options for tests: samples come fast, and plans are shown.</summary>
    public static void Quick(PgDashboardOptions options)
    {
        options.Interval = TimeSpan.FromMilliseconds(200);
        options.AllowPlans = true;
    }

    /// <summary>Runs a statement.</summary>
    public async Task<object?> Run(string sql, params int[] parameters)
    {
        await using var command = DataSource.CreateCommand(sql);
        foreach (var value in parameters)
            command.Parameters.Add(new PgParameter<int>(value));
        return await command.ExecuteScalarAsync();
    }

    /// <summary>The next state that the dashboard sends.</summary>
    public async Task<JsonElement> StateAsync() => await StatesAsync().FirstAsync();

    /// <summary>The states that the dashboard sends, one after the other.</summary>
    public async IAsyncEnumerable<JsonElement> StatesAsync()
    {
        using var http = new HttpClient();
        await using var stream = await http.GetStreamAsync(Dashboard + "/events");
        using var reader = new StreamReader(stream);
        while (await reader.ReadLineAsync() is { } line)
        {
            if (line.Length > 0)
                yield return JsonDocument.Parse(line["data: ".Length..]).RootElement;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _app.StopAsync();
        await _app.DisposeAsync();
    }

    private sealed class ByHeader(IOptionsMonitor<AuthenticationSchemeOptions> options, ILoggerFactory loggers, UrlEncoder encoder)
        : AuthenticationHandler<AuthenticationSchemeOptions>(options, loggers, encoder)
    {
        protected override Task<AuthenticateResult> HandleAuthenticateAsync()
        {
            var role = Request.Headers[RoleHeader].ToString();
            if (role.Length == 0)
                return Task.FromResult(AuthenticateResult.NoResult());
            var user = new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.Name, "test"), new Claim(ClaimTypes.Role, role)], "test"));
            return Task.FromResult(AuthenticateResult.Success(new AuthenticationTicket(user, "test")));
        }
    }

    private sealed class CapturedLog : ILoggerProvider, ILogger
    {
        public ConcurrentQueue<string> Entries { get; } = [];

        public ILogger CreateLogger(string categoryName) => this;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Warning;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (IsEnabled(logLevel))
                Entries.Enqueue($"{eventId.Id} {formatter(state, exception)}");
        }

        public void Dispose()
        {
        }
    }
}
