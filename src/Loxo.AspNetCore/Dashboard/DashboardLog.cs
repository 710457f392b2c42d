using Microsoft.Extensions.Logging;

namespace Loxo.Dashboard;

/// <summary>The log messages of the dashboard, in the category <c>Loxo.Dashboard</c>. Event ids 2800 to 2899.</summary>
internal static partial class DashboardLog
{
    public const string Category = "Loxo.Dashboard";

    [LoggerMessage(2800, LogLevel.Warning,
        "The dashboard at '{Path}' was refused with 403: outside of the environment Development it must require authorization. Call "
        + "app.MapPgDashboard().RequireAuthorization(\"a policy\"). This is logged once.")]
    public static partial void NoAuthorization(ILogger log, string path);

    [LoggerMessage(2801, LogLevel.Warning,
        "The dashboard could not get the data sources of the application. Register them as singletons, or add them to "
        + "PgDashboardOptions.DataSources.")]
    public static partial void NoDataSources(ILogger log, Exception error);

    [LoggerMessage(2802, LogLevel.Error, "The dashboard could not take a sample.")]
    public static partial void SampleFailed(ILogger log, Exception error);

    [LoggerMessage(2803, LogLevel.Information, "The dashboard has asked for the plan of a statement: {Statement}")]
    public static partial void Explained(ILogger log, string statement);
}
