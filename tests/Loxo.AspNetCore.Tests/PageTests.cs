using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Playwright;
using static Microsoft.Playwright.Assertions;

namespace Loxo.AspNetCore.Tests;

/// <summary>The page in a real browser.</summary>
public sealed class PageTests
{
    private Browser _browser = null!;
    private Site _site = null!;

    [OneTimeSetUp]
    public async Task Start() => _browser = await Browser.StartAsync();

    [OneTimeTearDown]
    public async Task Stop()
    {
        if (_browser is not null)
            await _browser.DisposeAsync();
    }

    [SetUp]
    public async Task StartSite() => _site = await Site.StartAsync(settings: ";Maximum Pool Size=4");

    [TearDown]
    public async Task StopSite() => await _site.DisposeAsync();

    [Test]
    public async Task It_shows_pool_statements_and_errors()
    {
        for (var i = 0; i < 3; i++)
            await _site.Run("SELECT count(*) FROM pg_class WHERE relpages > $1", i);
        await Assert.ThrowsAsync<PostgresException>(() => _site.Run("SELECT 1 / $1", 0));
        await using var tab = await _browser.OpenAsync(_site.Dashboard);
        await Expect(tab.Page).ToHaveTitleAsync("Test shop · Loxo");
        await Expect(Row(tab, "SELECT count(*) FROM pg_class WHERE relpages > $1").GetByRole(AriaRole.Cell).First).ToHaveTextAsync("3");
        await Expect(tab.Page.Locator("#errors-table")).ToContainTextAsync("22012division by zero1");
        await Expect(tab.Page.Locator("#tiles")).ToContainTextAsync(new Regex(@"0\s*of 4"));
        await Expect(tab.Page.GetByRole(AriaRole.Img, new() { Name = "Connections: 0 busy" })).ToBeVisibleAsync();
        await AssertQuiet(tab);
    }

    [Test]
    public async Task It_follows_what_happens()
    {
        await using var tab = await _browser.OpenAsync(_site.Dashboard);
        var connection = await _site.DataSource.OpenConnectionAsync();
        var row = tab.Page.Locator("#connections-table tbody tr");
        await Expect(row).ToHaveCountAsync(1);
        await Expect(row).ToContainTextAsync("rented");
        await using (var command = new PgCommand("SELECT 'secret' AS of_the_connection", connection))
            await command.ExecuteScalarAsync();
        await Expect(row).ToContainTextAsync("SELECT ? AS of_the_connection");
        await Expect(row).ToContainTextAsync(connection.ProcessID.ToString(CultureInfo.InvariantCulture));
        await Expect(tab.Page.Locator("#tiles")).ToContainTextAsync(new Regex(@"1\s*of 4"));
        await connection.DisposeAsync();
        await Expect(row).ToContainTextAsync("idle");
        await _site.Run("SELECT 'new' AS follows");
        await Expect(Row(tab, "SELECT ? AS follows")).ToBeVisibleAsync();
        await AssertQuiet(tab);
    }

    [Test]
    public async Task Waiting_callers_are_announced_once()
    {
        await using var tab = await _browser.OpenAsync(_site.Dashboard);
        var held = new List<PgConnection>();
        for (var i = 0; i < 4; i++)
            held.Add(await _site.DataSource.OpenConnectionAsync());
        var waiting = _site.DataSource.OpenConnectionAsync().AsTask();
        await Expect(tab.Page.Locator("#alert")).ToHaveTextAsync("Callers are waiting for a connection.");
        foreach (var connection in held)
            await connection.DisposeAsync();
        await (await waiting).DisposeAsync();
        await Expect(tab.Page.Locator("#alert")).ToHaveTextAsync("No caller waits for a connection any more.");
    }

    [Test]
    public async Task It_can_be_paused()
    {
        await using var tab = await _browser.OpenAsync(_site.Dashboard);
        var pause = tab.Page.GetByRole(AriaRole.Button, new() { Name = "Pause" });
        await pause.ClickAsync();
        await Expect(tab.Page.Locator("#status")).ToHaveTextAsync("Paused");
        await Expect(pause).ToHaveAttributeAsync("aria-pressed", "true");
        await _site.Run("SELECT 'paused' AS not_yet");
        await pause.ClickAsync();
        await Expect(Row(tab, "SELECT ? AS not_yet")).ToBeVisibleAsync();
    }

    [Test]
    public async Task It_comes_back_when_the_application_does()
    {
        await using var tab = await _browser.OpenAsync(_site.Dashboard);
        var port = new Uri(_site.Address).Port;
        await _site.DisposeAsync();
        await Expect(tab.Page.Locator("#status")).ToHaveTextAsync("No connection");
        _site = await Site.StartAsync(builder => builder.WebHost.UseSetting("urls", $"http://127.0.0.1:{port}"));
        await Expect(tab.Page.Locator("#status")).ToHaveTextAsync("Live", new() { Timeout = 20_000 });
    }

    [TestCase("SELECT 1 AS \"<script>document.title='hacked'</script><img src=x onerror=document.title='hacked'>\"")]
    [TestCase("SELECT 1 AS \"\u0001\u001b[31m\u202e&lt;\"")]
    public async Task A_hostile_text_is_shown_as_text(string sql)
    {
        await _site.Run(sql);
        await _site.Run($"SELECT 1 /* {new string('x', 1_000_000)} */");
        await using var tab = await _browser.OpenAsync(_site.Dashboard);
        var shown = Dashboard.SafeText.Of(sql.Replace("SELECT 1", "SELECT ?", StringComparison.Ordinal));
        await Expect(tab.Page.Locator("#statements-table summary").Filter(new() { HasText = shown })).ToHaveCountAsync(1);
        Assert.That(await tab.Page.TitleAsync(), Is.EqualTo("Test shop · Loxo"));
        Assert.That(await tab.Page.Locator("main img[src], main script").CountAsync(), Is.Zero);
        Assert.That(await tab.Page.EvaluateAsync<int>("document.documentElement.scrollWidth"), Is.LessThanOrEqualTo(1280));
        await AssertQuiet(tab);
    }

    [Test]
    public async Task A_plan_is_shown_on_demand()
    {
        await _site.Run("SELECT relname FROM pg_class WHERE relpages = $1", 1);
        await using var tab = await _browser.OpenAsync(_site.Dashboard);
        await tab.Page.GetByRole(AriaRole.Button, new() { Name = "Plan of SELECT relname" }).ClickAsync();
        var dialog = tab.Page.GetByRole(AriaRole.Dialog, new() { Name = "Plan" });
        await Expect(dialog.Locator("#plan-text")).ToContainTextAsync(new Regex(@"Scan .*pg_class.*\(cost="));
        await Expect(dialog.Locator("#plan-text")).ToContainTextAsync("relpages = $1");
        await tab.Page.Keyboard.PressAsync("Escape");
        await Expect(dialog).ToBeHiddenAsync();
        await Expect(tab.Page.GetByRole(AriaRole.Button, new() { Name = "Plan of SELECT relname" })).ToBeFocusedAsync();
        await AssertQuiet(tab);
    }

    [Test]
    public async Task Statements_are_sorted_by_the_keyboard()
    {
        var often = Stopwatch.StartNew();
        for (var i = 0; i < 5; i++)
            await _site.Run("SELECT 1 AS often");
        await _site.Run("SELECT pg_sleep($1 / 1000.0)", (int)often.ElapsedMilliseconds + 50);
        await using var tab = await _browser.OpenAsync(_site.Dashboard);
        var first = tab.Page.Locator("#statements-table tbody tr").First;
        await Expect(first).ToContainTextAsync("pg_sleep");
        var calls = tab.Page.GetByRole(AriaRole.Button, new() { Name = "Calls" });
        await calls.FocusAsync();
        await tab.Page.Keyboard.PressAsync("Enter");
        await Expect(first).ToContainTextAsync("often");
        await Expect(tab.Page.GetByRole(AriaRole.Columnheader, new() { Name = "Calls" })).ToHaveAttributeAsync("aria-sort", "descending");
        await _site.Run("SELECT 1 AS redrawn");
        await Expect(Row(tab, "SELECT ? AS redrawn")).ToBeVisibleAsync();
        await Expect(calls).ToBeFocusedAsync();
        await tab.Page.Keyboard.PressAsync("Enter");
        await Expect(tab.Page.GetByRole(AriaRole.Columnheader, new() { Name = "Calls" })).ToHaveAttributeAsync("aria-sort", "ascending");
    }

    [Test]
    public async Task The_keyboard_reaches_everything_and_shows_where_it_is()
    {
        await _site.Run("SELECT 1");
        await using var tab = await _browser.OpenAsync(_site.Dashboard);
        await Expect(Row(tab, "SELECT ?")).ToBeVisibleAsync();
        var reached = new List<string>();
        for (var i = 0; i < 40; i++)
        {
            await tab.Page.Keyboard.PressAsync("Tab");
            var (name, outline) = await Focused(tab);
            if (name == "BODY" || reached.Contains(name))
                break;
            reached.Add(name);
            Assert.That(outline, Is.Not.EqualTo("none 0px").And.Not.StartWith("none"), name);
        }
        Assert.That(reached, Is.EqualTo(new[]
        {
            "Skip to the content", "#theme", "Pause", "#statements-scroll", "Calls", "Total time", "Mean", "Median", "99 %", "Slowest", "Rows",
            "Errors", "SELECT ?", "Plan", "Table of connections",
        }));
    }

    [Test]
    public async Task Landmarks_headings_tables_and_charts_have_names()
    {
        await Assert.ThrowsAsync<PostgresException>(() => _site.Run("SELECT 1 / $1", 0));
        await using var connection = await _site.DataSource.OpenConnectionAsync();
        await using var tab = await _browser.OpenAsync(_site.Dashboard);
        await Expect(Row(tab, "SELECT ? / $1")).ToBeVisibleAsync();
        await Expect(tab.Page.Locator("body")).ToMatchAriaSnapshotAsync("""
            - banner:
              - heading "Test shop" [level=1]
              - status: Live
              - combobox "Theme"
              - button "Pause"
            - main:
              - region /Now/:
                - heading /Now/ [level=2]
              - region "Recently":
                - heading "Recently" [level=2]
                - figure:
                  - img /Connections. 1 busy, .* idle, .* at most 4/
                - figure:
                  - img /Statements per second. .* now/
                - figure:
                  - img /Mean time of a statement. .* now/
              - region /Statements/:
                - heading /Statements/ [level=2]
                - region "Table of statements":
                  - table "Statements, sortable by the buttons of the column headings":
                    - rowgroup:
                      - row:
                        - columnheader "Statement"
                        - columnheader "Calls":
                          - button "Calls"
                        - columnheader "Total time":
                          - button "Total time"
                    - rowgroup:
                      - row:
                        - rowheader:
                          - group: SELECT ? / $1
                        - cell "1"
              - region /Connections/:
                - heading /Connections/ [level=2]
                - region "Table of connections":
                  - table "Physical connections, those rented for longest first"
              - region /Errors/:
                - table "Errors by SQLSTATE"
              - region /Sessions/
              - region /Pool/
            """);
    }

    [TestCase(ColorScheme.Light), TestCase(ColorScheme.Dark)]
    public async Task Texts_have_enough_contrast_in_both_themes(ColorScheme scheme)
    {
        await Assert.ThrowsAsync<PostgresException>(() => _site.Run("SELECT 1 / $1", 0));
        await using var tab = await _browser.OpenAsync(_site.Dashboard, scheme: scheme);
        await Expect(Row(tab, "SELECT ? / $1")).ToBeVisibleAsync();
        var poor = await tab.Page.EvaluateAsync<string[]>(Contrast);
        Assert.That(poor, Is.Empty);
    }

    [Test]
    public async Task The_theme_follows_the_system_until_one_is_chosen_and_is_kept()
    {
        await using var tab = await _browser.OpenAsync(_site.Dashboard, scheme: ColorScheme.Dark);
        var dark = await Background(tab);
        await tab.Page.EmulateMediaAsync(new() { ColorScheme = ColorScheme.Light });
        var light = await Background(tab);
        Assert.That(light, Is.Not.EqualTo(dark));
        await tab.Page.GetByLabel("Theme").SelectOptionAsync("dark");
        Assert.That(await Background(tab), Is.EqualTo(dark));
        await tab.Page.ReloadAsync();
        Assert.That(await Background(tab), Is.EqualTo(dark));
        await Expect(tab.Page.GetByLabel("Theme")).ToHaveValueAsync("dark");
        await AssertQuiet(tab);
    }

    [Test]
    public async Task A_narrow_page_does_not_scroll_sideways()
    {
        await _site.Run("SELECT count(*) FROM pg_class, pg_attribute WHERE pg_class.oid = attrelid AND relname = 'x'");
        await using var tab = await _browser.OpenAsync(_site.Dashboard, width: 400);
        await Expect(tab.Page.Locator("#statements-table tbody tr").First).ToBeVisibleAsync();
        Assert.That(await tab.Page.EvaluateAsync<int>("document.documentElement.scrollWidth"), Is.LessThanOrEqualTo(400));
    }

    [Test]
    public async Task One_of_several_data_sources_is_chosen()
    {
        await using var site = await Site.StartAsync(static builder => builder.Services.AddPgDataSource(
            TestServer.Default.ConnectionString, static source =>
            {
                source.Name = "second";
                source.UseStatementStatistics();
            }, serviceKey: "second"));
        await using var own = site.App.Services.GetRequiredKeyedService<PgDataSource>("second").CreateCommand("SELECT 2 AS of_the_second");
        await own.ExecuteNonQueryAsync();
        await using var tab = await _browser.OpenAsync(site.Dashboard);
        await Expect(Row(tab, "SELECT ? AS of_the_second")).ToHaveCountAsync(0);
        await tab.Page.GetByLabel("Data source").SelectOptionAsync("second");
        await Expect(Row(tab, "SELECT ? AS of_the_second")).ToBeVisibleAsync();
    }

    private static ILocator Row(Browser.Tab tab, string statement) =>
        tab.Page.Locator("#statements-table tbody tr").Filter(new() { HasText = statement });

    // Everything comes from the application, and nothing complains.
    private async Task AssertQuiet(Browser.Tab tab)
    {
        await Expect(tab.Page.GetByText("Live", new() { Exact = true })).ToBeVisibleAsync();
        Assert.That(tab.Complaints, Is.Empty);
        Assert.That(tab.Requests, Has.All.StartsWith(_site.Address + "/"));
    }

    private static Task<string> Background(Browser.Tab tab) => tab.Page.EvaluateAsync<string>("getComputedStyle(document.body).backgroundColor");

    private static async Task<(string Name, string Outline)> Focused(Browser.Tab tab)
    {
        var parts = await tab.Page.EvaluateAsync<string[]>("""
            () => {
              const one = document.activeElement, style = getComputedStyle(one);
              const name = one.id && ["DIV", "SELECT"].includes(one.tagName) ? "#" + one.id : one.ariaLabel && one.tagName === "DIV" ? one.ariaLabel : one === document.body ? "BODY" : one.textContent;
              return [name, `${style.outlineStyle} ${style.outlineWidth}`];
            }
            """);
        return (parts[0], parts[1]);
    }

    // WCAG 2.1, 1.4.3: 4.5 to 1 for texts that are not large. Backgrounds are opaque here.
    private const string Contrast = """
        () => {
          const channels = colour => colour.match(/[\d.]+/g).map(Number);
          const luminance = colour => {
            const [r, g, b] = channels(colour).map(one => one / 255).map(one => one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const background = one => {
            for (; one; one = one.parentElement) {
              const colour = getComputedStyle(one).backgroundColor;
              if ((channels(colour)[3] ?? 1) > 0)
                return colour;
            }
            return "rgb(255, 255, 255)";
          };
          const poor = [];
          for (const one of document.querySelectorAll("body *")) {
            const hasText = [...one.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
            if (!hasText || !one.checkVisibility())
              continue;
            const style = getComputedStyle(one);
            const [text, behind] = [luminance(one instanceof SVGElement ? style.fill : style.color), luminance(background(one))];
            const ratio = (Math.max(text, behind) + 0.05) / (Math.min(text, behind) + 0.05);
            if (ratio < 4.5)
              poor.push(`${one.tagName} ${one.textContent.trim().slice(0, 30)}: ${ratio.toFixed(2)}`);
          }
          return poor;
        }
        """;
}
