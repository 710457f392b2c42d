using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace WebShop;

/// <summary>The answer of /health: the status, and each check with its data, which for the database are the numbers of the pool.</summary>
internal static class HealthAnswer
{
    public static Task WriteAsync(HttpContext context, HealthReport report) => context.Response.WriteAsJsonAsync(new
    {
        status = report.Status.ToString(),
        checks = report.Entries.ToDictionary(
            entry => entry.Key,
            entry => new { status = entry.Value.Status.ToString(), entry.Value.Description, entry.Value.Data }),
    });
}
