using Loxo.Pooling;
using Microsoft.Extensions.Options;

namespace Loxo.Health;

/// <summary>Errors in words that may be shown to anybody who may see the health of a program.</summary>
internal static class ErrorText
{
    /// <summary>
    /// The text of an error if it is of Loxo or of the server, since these hold no secret; otherwise the name of its class, since the texts
    /// of the program's own functions may hold one.
    /// </summary>
    public static string Of(Exception error) => error switch
    {
        PgException { InnerException: PoolExhaustedException { Statistics.RecentOpenFailures: [var last, ..] } } =>
            $"no connection could be opened in time. The last attempt: {Of(last.Error)}",
        PgException { Code: PgErrorCode.AuthenticationFailed, InnerException: { } cause } =>
            $"the login failed because of a {cause.GetType().Name}.",
        PgException or OptionsValidationException => error.Message,
        ObjectDisposedException => "the data source is disposed.",
        _ => $"{error.GetType().Name}.",
    };
}
