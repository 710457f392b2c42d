using Microsoft.Playwright;

namespace Loxo.AspNetCore.Tests;

/// <summary>The Chromium of the machine, driven by Playwright.</summary>
internal sealed class Browser : IAsyncDisposable
{
    private static readonly string[] _places =
    [
        "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", @"C:\Program Files\Google\Chrome\Application\chrome.exe",
    ];

    private readonly IPlaywright _playwright;
    private readonly IBrowser _browser;

    private Browser(IPlaywright playwright, IBrowser browser) => (_playwright, _browser) = (playwright, browser);

    /// <summary>Starts one; the test is skipped where there is none.</summary>
    public static async Task<Browser> StartAsync()
    {
        var path = Environment.GetEnvironmentVariable("LOXO_TEST_CHROMIUM") ?? Array.Find(_places, File.Exists);
        if (path is null)
            Assert.Ignore("There is no Chromium. Install it: apt-get install chromium, or set LOXO_TEST_CHROMIUM to its path.");
        var playwright = await Playwright.CreateAsync();
        // Root may not use the sandbox; the pages are the tests' own.
        var browser = await playwright.Chromium.LaunchAsync(new() { ExecutablePath = path, Args = ["--no-sandbox"] });
        return new Browser(playwright, browser);
    }

    /// <summary>A page that has the dashboard, live.</summary>
    public async Task<Tab> OpenAsync(string address, int width = 1280, int height = 900, ColorScheme scheme = ColorScheme.Light)
    {
        var page = await _browser.NewPageAsync(new()
        {
            ViewportSize = new() { Width = width, Height = height }, ColorScheme = scheme, Locale = "en-US",
        });
        var tab = new Tab(page);
        await page.GotoAsync(address);
        await Assertions.Expect(page.GetByText("Live", new() { Exact = true })).ToBeVisibleAsync();
        return tab;
    }

    public async ValueTask DisposeAsync()
    {
        await _browser.DisposeAsync();
        _playwright.Dispose();
    }

    /// <summary>A page, and what it has said and asked for.</summary>
    internal sealed class Tab : IAsyncDisposable
    {
        private readonly List<string> _complaints = [];
        private readonly List<string> _requests = [];

        public Tab(IPage page)
        {
            Page = page;
            page.Console += (_, message) =>
            {
                if (message.Type is "error" or "warning")
                    _complaints.Add(message.Text);
            };
            page.PageError += (_, error) => _complaints.Add(error);
            page.Request += (_, request) => _requests.Add(request.Url);
        }

        public IPage Page { get; }

        /// <summary>Errors and warnings of the console, and exceptions.</summary>
        public IReadOnlyList<string> Complaints => _complaints;

        /// <summary>The addresses of all requests.</summary>
        public IReadOnlyList<string> Requests => _requests;

        public async ValueTask DisposeAsync() => await Page.CloseAsync();
    }
}
