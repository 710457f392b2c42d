using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Loxo.Dashboard;

/// <summary>
/// Refuses requests for a dashboard that does not require authorization, except in the environment Development. Whether a caller has the
/// authorization that is required is decided by ASP.NET Core before.
/// </summary>
internal sealed class DashboardGuard(IHostEnvironment environment, ILogger log)
{
    private int _isLogged;

    /// <summary>Whether the request may go on; otherwise its answer is written.</summary>
    public async ValueTask<bool> AllowsAsync(HttpContext context)
    {
        if (environment.IsDevelopment() || RequiresAuthorization(context.GetEndpoint()))
            return true;
        if (Interlocked.Exchange(ref _isLogged, 1) == 0)
            DashboardLog.NoAuthorization(log, context.Request.Path);
        context.Response.StatusCode = StatusCodes.Status403Forbidden;
        context.Response.ContentType = "text/plain; charset=utf-8";
        await context.Response.WriteAsync("The dashboard must require authorization. The log says how.", context.RequestAborted)
            .ConfigureAwait(false);
        return false;
    }

    // AllowAnonymous takes back what other metadata require.
    private static bool RequiresAuthorization(Endpoint? endpoint) => endpoint is not null
        && endpoint.Metadata.GetMetadata<IAllowAnonymous>() is null
        && (endpoint.Metadata.GetMetadata<IAuthorizeData>() is not null
            || endpoint.Metadata.GetMetadata<AuthorizationPolicy>() is not null);
}
