using Loxo;

namespace Quickstart.Steps;

/// <summary>A token that is cancelled stops the statement on the server, and the connection can be used again.</summary>
internal static class CancelACommand
{
    public static async Task<string> Run(PgConnection connection, CancellationToken token)
    {
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(token);
        patience.CancelAfter(TimeSpan.FromMilliseconds(100));
        var outcome = "";
        try
        {
            await using var sleep = new PgCommand("SELECT pg_sleep(60)", connection);
            await sleep.ExecuteNonQueryAsync(patience.Token);
        }
        catch (OperationCanceledException e) when (!token.IsCancellationRequested)
        {
            outcome = e.Message;
        }

        await using var next = new PgCommand("SELECT 'the next command is not hit'", connection);
        return $"{outcome}\n{await next.ExecuteScalarAsync(token)}";
    }
}
