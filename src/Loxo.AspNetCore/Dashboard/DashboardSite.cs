using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Loxo.Dashboard;

/// <summary>One mapped dashboard: its page, its stream of events, its plans.</summary>
internal sealed class DashboardSite
{
    // A form of another site cannot send it.
    private const string OwnHeader = "X-Loxo-Dashboard";

    private readonly PgDashboardOptions _options;
    private readonly DashboardGuard _guard;
    private readonly DashboardSampler _sampler;
    private readonly DashboardEvents _events;
    private readonly PlanExplainer _plans;
    private readonly string _title;

    public DashboardSite(IServiceProvider services, PgDashboardOptions options)
    {
        var environment = services.GetRequiredService<IHostEnvironment>();
        var lifetime = services.GetRequiredService<IHostApplicationLifetime>();
        var log = services.GetRequiredService<ILoggerFactory>().CreateLogger(DashboardLog.Category);
        _options = options;
        _title = options.Title ?? environment.ApplicationName;
        _guard = new DashboardGuard(environment, log);
        _sampler = new DashboardSampler(services, options, _title, lifetime, log);
        _events = new DashboardEvents(_sampler, options.MaximumClients, lifetime.ApplicationStopping);
        _plans = new PlanExplainer(log);
    }

    /// <summary>A handler behind the guard, with the headers of all answers.</summary>
    public RequestDelegate Guarded(RequestDelegate handler) => async context =>
    {
        DashboardPage.SetHeaders(context.Response);
        if (await _guard.AllowsAsync(context).ConfigureAwait(false))
            await handler(context).ConfigureAwait(false);
    };

    public Task PageAsync(HttpContext context) => DashboardPage.WriteAsync(context, _title);

    public Task EventsAsync(HttpContext context) => _events.ServeAsync(context);

    /// <summary>Answers with the plan of a statement, or with the reason why there is none, as text.</summary>
    public async Task PlanAsync(HttpContext context)
    {
        var (status, text) = await PlanOf(context).ConfigureAwait(false);
        context.Response.StatusCode = status;
        context.Response.ContentType = "text/plain; charset=utf-8";
        await context.Response.WriteAsync(text, context.RequestAborted).ConfigureAwait(false);
    }

    private async ValueTask<(int Status, string Text)> PlanOf(HttpContext context)
    {
        var query = context.Request.Query;
        if (!_options.AllowPlans)
            return (StatusCodes.Status404NotFound, "Plans are off: set PgDashboardOptions.AllowPlans.");
        if (!context.Request.Headers.ContainsKey(OwnHeader) || !int.TryParse(query["source"], out var source))
            return (StatusCodes.Status400BadRequest, "The request is not one of the dashboard.");
        return _sampler.Find(source, query["statement"].ToString()) is var (dataSource, statement)
            ? await _plans.ExplainAsync(dataSource, statement, context.RequestAborted).ConfigureAwait(false)
            : (StatusCodes.Status404NotFound, "The statement is not among those that are counted any more.");
    }
}
