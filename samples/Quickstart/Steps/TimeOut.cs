using Loxo;

namespace Quickstart.Steps;

/// <summary>CommandTimeout, in seconds. It works the same way in blocking and in asynchronous calls.</summary>
internal static class TimeOut
{
    public static async Task<string> Run(PgConnection connection, CancellationToken token)
    {
        var outcome = "";
        try
        {
            using var sleep = new PgCommand("SELECT pg_sleep(60)", connection) { CommandTimeout = 1 };
            sleep.ExecuteNonQuery();
        }
        catch (PgException e) when (e.Code == PgErrorCode.Timeout)
        {
            outcome = e.Message;
        }

        await using var next = new PgCommand("SELECT count(*) FROM orders", connection);
        return $"{outcome}\n{await next.ExecuteScalarAsync(token)} order is still there";
    }
}
