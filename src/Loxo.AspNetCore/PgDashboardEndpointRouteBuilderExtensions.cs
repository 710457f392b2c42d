using Loxo;
using Loxo.Dashboard;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Maps the dashboard of Loxo.</summary>
public static class PgDashboardEndpointRouteBuilderExtensions
{
    /// <summary>
    /// Maps a page that shows the data sources of the application live. Outside of the environment Development it answers only if the
    /// result requires authorization: <c>app.MapPgDashboard().RequireAuthorization("operators")</c>; otherwise with 403.
    /// </summary>
    /// <remarks>
    /// From the start of the application to its end, a sample of each pool is taken every <see cref="PgDashboardOptions.Interval"/>.
    /// Statements are shown for data sources that count them:
    /// <see cref="PgDataSourceBuilderBase{TBuilder}.UseStatementStatistics"/>.
    /// </remarks>
    /// <param name="endpoints">The application.</param>
    /// <param name="pattern">The path of the page, <c>/loxo</c> by default.</param>
    /// <param name="configure">Sets the options; null for the defaults.</param>
    /// <returns>The endpoints of the page, for conventions such as RequireAuthorization and RequireHost.</returns>
    /// <exception cref="ArgumentNullException">The endpoints or the pattern are null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public static IEndpointConventionBuilder MapPgDashboard(
        this IEndpointRouteBuilder endpoints, string pattern = "/loxo", Action<PgDashboardOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(pattern);
        var options = new PgDashboardOptions();
        configure?.Invoke(options);
        var site = new DashboardSite(endpoints.ServiceProvider, options.Checked());
        var group = endpoints.MapGroup(pattern);
        group.MapGet("/", site.Guarded(site.PageAsync));
        group.MapGet("/events", site.Guarded(site.EventsAsync));
        group.MapPost("/plan", site.Guarded(site.PlanAsync));
        foreach (var asset in DashboardPage.Assets)
            group.MapGet("/" + asset.Name, site.Guarded(asset.WriteAsync));
        return group.ExcludeFromDescription().WithDisplayName("Loxo dashboard");
    }
}
