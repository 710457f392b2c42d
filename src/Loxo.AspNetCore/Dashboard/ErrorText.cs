namespace Loxo.Dashboard;

/// <summary>Errors in words that may be shown to those who may see the dashboard.</summary>
internal static class ErrorText
{
    /// <summary>
    /// The text of an error of Loxo or of the server, since these hold no secret; otherwise the name of its class, since the texts of the
    /// program's own functions may hold one.
    /// </summary>
    public static string Of(Exception error) => error switch
    {
        PgException { Code: PgErrorCode.AuthenticationFailed, InnerException: { } cause } =>
            $"the login failed because of a {cause.GetType().Name}.",
        PgException => SafeText.Of(error.Message, 500),
        ObjectDisposedException => "the data source is disposed.",
        OperationCanceledException => "the time was over.",
        _ => $"{error.GetType().Name}.",
    };
}
