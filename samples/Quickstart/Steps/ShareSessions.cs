using Loxo;

namespace Quickstart.Steps;

/// <summary>
/// With Multiplexing=true many callers share a few sessions, and their requests travel together. The code is that of any other connection:
/// only a transaction, or a statement that changes its session, takes a session of its own.
/// </summary>
internal static class ShareSessions
{
    private const int Callers = 200;

    public static async Task<string> Run(ShopDatabase database, CancellationToken token)
    {
        await using var source = PgDataSource.Create(database.ConnectionString(settings => settings.Multiplexing = true));
        // Until the data source knows statement and database, callers have sessions of their own.
        await AskAll(source, token);
        await Task.Delay(TimeSpan.FromMilliseconds(200), token);

        var sessions = await AskAll(source, token);
        return $"{Callers} callers at the same time in {sessions.Distinct().Count()} sessions";
    }

    private static Task<int[]> AskAll(PgDataSource source, CancellationToken token) =>
        Task.WhenAll(Enumerable.Range(0, Callers).Select(_ => Ask(source, token)));

    private static async Task<int> Ask(PgDataSource source, CancellationToken token)
    {
        await using var connection = await source.OpenConnectionAsync(token); // takes no session
        await using var command = new PgCommand("SELECT pg_backend_pid()", connection); // the number of its session
        return (int)(await command.ExecuteScalarAsync(token))!;
    }
}
