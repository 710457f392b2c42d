using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;
using Microsoft.Playwright;

namespace Loxo.AspNetCore.Tests;

/// <summary>
/// Makes the pictures of docs/dashboard.md from samples/WebShop under load. Run it by its name:
/// <c>dotnet test tests/Loxo.AspNetCore.Tests -c Release --filter FullyQualifiedName~Screenshots</c>.
/// </summary>
[Explicit("It makes the pictures of the documentation anew, which takes two minutes.")]
public sealed class Screenshots
{
    private const int Seconds = 110;

    [Test]
    public async Task Make()
    {
        await using var browser = await Browser.StartAsync();
        using var shop = Start(out var address);
        try
        {
            await using var open = await browser.OpenAsync(await address + "/loxo", height: 960);
            await Task.Delay(TimeSpan.FromSeconds(Seconds * 0.75));
            foreach (var scheme in new[] { ColorScheme.Light, ColorScheme.Dark })
            {
                var name = scheme.ToString().ToLowerInvariant();
                await Take(browser, await address, scheme, 1280, 1130, $"dashboard-{name}.png");
                await Take(browser, await address, scheme, 400, 900, $"dashboard-narrow-{name}.png");
            }
        }
        finally
        {
            shop.Kill(entireProcessTree: true);
        }
    }

    private static async Task Take(Browser browser, string address, ColorScheme scheme, int width, int height, string name)
    {
        await using var tab = await browser.OpenAsync(address + "/loxo", width, height, scheme);
        await Assertions.Expect(tab.Page.Locator("#statements-table tbody tr").First).ToBeVisibleAsync();
        await tab.Page.ScreenshotAsync(new() { Path = Path.Combine(Root(), "docs/images", name) });
    }

    private static Process Start(out Task<string> address)
    {
        var shop = Process.Start(new ProcessStartInfo("dotnet",
            [
                Path.Combine(Root(), "samples/WebShop/bin/Release/net10.0/WebShop.dll"), "--load", $"{Seconds}", "--Loxo:shop:MaximumPoolSize", "6",
            ]) { RedirectStandardOutput = true })!;
        address = AddressOf(shop.StandardOutput);
        return shop;
    }

    private static async Task<string> AddressOf(StreamReader output)
    {
        while (await output.ReadLineAsync() is { } line)
        {
            if (Regex.Match(line, @"http://\S+?(?=/?$)") is { Success: true } found)
                return found.Value;
        }
        throw new AssertionException("The sample has not said where it is.");
    }

    private static string Root([CallerFilePath] string file = "") => Path.GetFullPath(Path.Combine(Path.GetDirectoryName(file)!, "../.."));
}
