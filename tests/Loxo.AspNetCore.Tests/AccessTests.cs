using System.Net;
using System.Net.Sockets;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Loxo.AspNetCore.Tests;

/// <summary>Who may see the dashboard, and what its endpoints answer.</summary>
public sealed class AccessTests
{
    private static readonly string[] _paths =
        ["", "/", "/events", "/style.css", "/theme.js", "/charts.js", "/tables.js", "/dashboard.js", "/icon.svg"];

    [TestCase(null, HttpStatusCode.Unauthorized)]
    [TestCase("customer", HttpStatusCode.Forbidden)]
    [TestCase("operator", HttpStatusCode.OK)]
    public async Task A_policy_decides_on_every_path(string? role, HttpStatusCode expected)
    {
        foreach (var environment in new[] { Environments.Production, Environments.Development })
        {
            await using var site = await Site.StartAsync(
                map: static app => app.MapPgDashboard(configure: Site.Quick).RequireAuthorization("operators"), environment: environment);
            foreach (var path in _paths)
                Assert.That(await StatusOf(HttpMethod.Get, site.Dashboard + path, role), Is.EqualTo(expected), path);
            var plan = await StatusOf(HttpMethod.Post, site.Dashboard + "/plan", role);
            Assert.That(plan, Is.EqualTo(expected == HttpStatusCode.OK ? HttpStatusCode.BadRequest : expected));
        }
    }

    [Test]
    public async Task In_development_nothing_has_to_be_required()
    {
        await using var site = await Site.StartAsync();
        foreach (var path in _paths)
            Assert.That(await StatusOf(HttpMethod.Get, site.Dashboard + path, null), Is.EqualTo(HttpStatusCode.OK), path);
        Assert.That(site.Warnings, Is.Empty);
    }

    [TestCase(false), TestCase(true)]
    public async Task Elsewhere_it_is_refused_if_it_requires_nothing_and_the_log_says_what_to_do(bool isAnonymous)
    {
        await using var site = await Site.StartAsync(map: app =>
        {
            var dashboard = app.MapPgDashboard(configure: Site.Quick);
            if (isAnonymous)
                dashboard.RequireAuthorization("operators").AllowAnonymous();
        }, environment: "Staging");
        foreach (var path in _paths)
            Assert.That(await StatusOf(HttpMethod.Get, site.Dashboard + path, "operator"), Is.EqualTo(HttpStatusCode.Forbidden), path);
        Assert.That(await StatusOf(HttpMethod.Post, site.Dashboard + "/plan", "operator"), Is.EqualTo(HttpStatusCode.Forbidden));
        Assert.That(site.Warnings.Single(), Does.StartWith("2800 ").And.Contain("RequireAuthorization"));
    }

    [Test]
    public async Task Nothing_inline_runs_and_nothing_is_cached_or_framed()
    {
        await using var site = await Site.StartAsync();
        using var http = new HttpClient();
        foreach (var path in _paths.Where(static path => path != "/events"))
        {
            using var answer = await http.GetAsync(site.Dashboard + path);
            var policy = answer.Headers.GetValues("Content-Security-Policy").Single();
            Assert.That(policy, Does.StartWith("default-src 'none'").And.Not.Contain("unsafe").And.Contain("frame-ancestors 'none'"));
            Assert.That(answer.Headers.GetValues("X-Content-Type-Options").Single(), Is.EqualTo("nosniff"));
            Assert.That(answer.Headers.CacheControl!.NoStore);
        }
    }

    [TestCase("/loxo"), TestCase("/loxo/")]
    public async Task It_works_under_a_path_base(string path)
    {
        await using var site = await Site.StartAsync(
            services: static builder => builder.Services.AddTransient<Microsoft.AspNetCore.Hosting.IStartupFilter, PathBase>());
        using var http = new HttpClient();
        var page = await http.GetStringAsync(site.Address + "/base" + path);
        var script = new Uri(new Uri(site.Address + "/base" + path), Assets(page).Single(static one => one.EndsWith("dashboard.js", StringComparison.Ordinal)));
        Assert.That(script.AbsolutePath, Is.EqualTo("/base/loxo/dashboard.js"));
        Assert.That(await StatusOf(HttpMethod.Get, script.ToString(), null), Is.EqualTo(HttpStatusCode.OK));
    }

    [Test]
    public async Task The_title_is_text()
    {
        await using var site = await Site.StartAsync(map: static app => app.MapPgDashboard("/a/{tenant}/<b>", static options =>
        {
            options.Title = "<script>alert(1)</script>\u202e";
        }));
        using var http = new HttpClient();
        var page = await http.GetStringAsync(site.Address + "/a/x/%3Cb%3E");
        Assert.That(page, Does.Contain("&lt;script&gt;alert(1)&lt;/script&gt;").And.Not.Contain("<script>alert").And.Not.Contain("\u202e"));
        Assert.That(Assets(page), Has.All.StartWith("./%3Cb%3E/"));
    }

    [Test]
    public async Task A_plan_is_asked_for_by_the_dashboard_only()
    {
        await using var site = await Site.StartAsync();
        await site.Run("SELECT 1");
        Assert.That(await StatusOf(HttpMethod.Post, site.Dashboard + "/plan?source=0&statement=x", null), Is.EqualTo(HttpStatusCode.BadRequest));
        Assert.That(await StatusOf(HttpMethod.Get, site.Dashboard + "/plan?source=0&statement=x", null), Is.EqualTo(HttpStatusCode.MethodNotAllowed));
        foreach (var query in new[] { "source=0&statement=x", "source=-1&statement=x", "source=99&statement=x", "source=0" })
            Assert.That(await StatusOf(HttpMethod.Post, $"{site.Dashboard}/plan?{query}", null, "X-Loxo-Dashboard"), Is.EqualTo(HttpStatusCode.NotFound), query);
        Assert.That(await StatusOf(HttpMethod.Post, $"{site.Dashboard}/plan?source=x", null, "X-Loxo-Dashboard"), Is.EqualTo(HttpStatusCode.BadRequest));
    }

    [Test]
    public async Task Plans_are_off_by_default()
    {
        await using var site = await Site.StartAsync(map: static app => app.MapPgDashboard());
        await site.Run("SELECT 1");
        Assert.That((await site.StateAsync()).GetProperty("plans").GetBoolean(), Is.False);
        Assert.That(await StatusOf(HttpMethod.Post, $"{site.Dashboard}/plan?source=0&statement=x", null, "X-Loxo-Dashboard"), Is.EqualTo(HttpStatusCode.NotFound));
    }

    [Test]
    public async Task Pages_beyond_the_limit_are_refused_until_one_goes()
    {
        await using var site = await Site.StartAsync(map: static app => app.MapPgDashboard(configure: static options =>
        {
            Site.Quick(options);
            options.MaximumClients = 2;
        }));
        using var http = new HttpClient();
        var first = await http.GetStreamAsync(site.Dashboard + "/events");
        await using var second = await http.GetStreamAsync(site.Dashboard + "/events");
        Assert.That(await StatusOf(HttpMethod.Get, site.Dashboard + "/events", null), Is.EqualTo(HttpStatusCode.ServiceUnavailable));
        await first.DisposeAsync();
        await Until(async () => await StatusOf(HttpMethod.Get, site.Dashboard + "/events", null) == HttpStatusCode.OK);
    }

    [Test]
    public async Task A_page_that_never_reads_gets_no_more_memory()
    {
        await using var site = await Site.StartAsync(map: static app => app.MapPgDashboard(configure: static options =>
        {
            options.Interval = TimeSpan.FromMilliseconds(100);
            options.MaximumClients = 1;
        }));
        // States of 300 KB: the buffers of both ends are full after a few.
        for (var i = 0; i < 100; i++)
            await site.Run($"SELECT 1 AS a{i} /* {new string('x', 1900)} */");
        using var client = new TcpClient { ReceiveBufferSize = 4096 };
        await client.ConnectAsync(IPAddress.Loopback, new Uri(site.Address).Port);
        await client.GetStream().WriteAsync(Encoding.ASCII.GetBytes("GET /loxo/events HTTP/1.1\r\nHost: x\r\n\r\n"));
        var status = new byte["HTTP/1.1 200".Length];
        await client.GetStream().ReadExactlyAsync(status);
        Assert.That(Encoding.ASCII.GetString(status), Is.EqualTo("HTTP/1.1 200"));
        // Until it is cut off, and another page takes its place.
        var memory = new List<long>();
        await Until(async () =>
        {
            memory.Add(GC.GetTotalMemory(forceFullCollection: true));
            return await StatusOf(HttpMethod.Get, site.Dashboard + "/events", null) == HttpStatusCode.OK;
        });
        // The least of several, as each may find a buffer that is in use for a moment. States that wait for the page would go on to grow.
        var half = memory.Count / 2;
        Assert.That(memory.Skip(half).Min() - memory.Take(half).Min(), Is.LessThan(4_000_000));
    }

    [Test]
    public async Task The_end_of_the_application_does_not_wait_for_pages()
    {
        var site = await Site.StartAsync();
        using var http = new HttpClient();
        await using var stream = await http.GetStreamAsync(site.Dashboard + "/events");
        using var reader = new StreamReader(stream);
        await reader.ReadLineAsync();
        using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(20));
        await site.App.StopAsync(limit.Token);
        Assert.That(limit.IsCancellationRequested, Is.False);
        Assert.That(await reader.ReadToEndAsync(CancellationToken.None), Is.EqualTo("\n").Or.EndsWith("\n\n"), "no event is cut in two");
        await site.DisposeAsync();
    }

    [TestCase(99), TestCase(3_600_001)]
    public void An_interval_out_of_range_is_named(int milliseconds) => Assert.That(
        () => Site.StartAsync(map: app => app.MapPgDashboard(configure: options => options.Interval = TimeSpan.FromMilliseconds(milliseconds))),
        Throws.InstanceOf<ArgumentOutOfRangeException>().With.Message.Contains("PgDashboardOptions.Interval"));

    private static string[] Assets(string page) => [.. page.Split('"').Where(static part => part.StartsWith("./", StringComparison.Ordinal))];

    private static async Task<HttpStatusCode> StatusOf(HttpMethod method, string address, string? role, string? header = null)
    {
        using var http = new HttpClient(new SocketsHttpHandler { AllowAutoRedirect = false });
        using var request = new HttpRequestMessage(method, address);
        if (role is not null)
            request.Headers.Add(Site.RoleHeader, role);
        if (header is not null)
            request.Headers.Add(header, "1");
        using var answer = await http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);
        return answer.StatusCode;
    }

    private static async Task Until(Func<Task<bool>> condition)
    {
        using var limit = new CancellationTokenSource(TimeSpan.FromMinutes(1));
        while (!await condition())
            await Task.Delay(50, limit.Token);
    }

    private sealed class PathBase : Microsoft.AspNetCore.Hosting.IStartupFilter
    {
        public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
        {
            app.UsePathBase("/base");
            next(app);
        };
    }
}
