using System.Net;
using Microsoft.AspNetCore.Http;

namespace Loxo.Dashboard;

/// <summary>The page and its assets, all of them in this assembly.</summary>
internal static class DashboardPage
{
    private static readonly string _page = Read("page.html");

    /// <summary>What the page loads.</summary>
    public static IReadOnlyList<Asset> Assets { get; } =
    [
        new("style.css", "text/css; charset=utf-8"), new("theme.js", "text/javascript; charset=utf-8"),
        new("charts.js", "text/javascript; charset=utf-8"), new("tables.js", "text/javascript; charset=utf-8"),
        new("dashboard.js", "text/javascript; charset=utf-8"), new("icon.svg", "image/svg+xml"),
    ];

    /// <summary>Nothing but the assets is loaded, nothing inline runs, and no other site shows the page in a frame.</summary>
    public static void SetHeaders(HttpResponse response)
    {
        response.Headers.ContentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
            + "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
        response.Headers.XContentTypeOptions = "nosniff";
        response.Headers["Referrer-Policy"] = "no-referrer";
        response.Headers.CacheControl = "no-store";
    }

    /// <summary>Writes the page.</summary>
    public static Task WriteAsync(HttpContext context, string title)
    {
        context.Response.ContentType = "text/html; charset=utf-8";
        var page = _page.Replace("{{base}}", WebUtility.HtmlEncode(BaseOf(context.Request.Path)), StringComparison.Ordinal)
            .Replace("{{title}}", WebUtility.HtmlEncode(SafeText.Of(title)), StringComparison.Ordinal);
        return context.Response.WriteAsync(page, context.RequestAborted);
    }

    // Relative to the page, with or without a slash at its end: so it works behind proxies that shorten the path.
    private static string BaseOf(PathString path)
    {
        var text = path.Value ?? "";
        return text.EndsWith('/') ? "./" : $"./{Uri.EscapeDataString(text[(text.LastIndexOf('/') + 1)..])}/";
    }

    private static string Read(string name)
    {
        using var stream = typeof(DashboardPage).Assembly.GetManifestResourceStream(name)!;
        using var reader = new StreamReader(stream);
        return reader.ReadToEnd();
    }

    /// <summary>A file that the page loads.</summary>
    internal sealed class Asset(string name, string contentType)
    {
        private readonly string _text = Read(name);

        public string Name => name;

        public Task WriteAsync(HttpContext context)
        {
            context.Response.ContentType = contentType;
            return context.Response.WriteAsync(_text, context.RequestAborted);
        }
    }
}
