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

        var answers = await AskAll(source, token);
        var sessions = answers.Select(answer => answer.Session).Distinct().Count();
        return $"{Callers} callers at the same time in {sessions} sessions";
    }

    private static Task<(int Stock, int Session)[]> AskAll(PgDataSource source, CancellationToken token) =>
        Task.WhenAll(Enumerable.Range(0, Callers).Select(caller => Ask(source, 1 + caller % 4, token)));

    private static async Task<(int Stock, int Session)> Ask(PgDataSource source, int product, CancellationToken token)
    {
        await using var connection = await source.OpenConnectionAsync(token); // takes no session
        await using var command = new PgCommand("SELECT stock, pg_backend_pid() FROM products WHERE id = $1", connection);
        command.Parameters.AddWithValue(product);
        await using var reader = await command.ExecuteReaderAsync(token);
        await reader.ReadAsync(token);
        return (reader.GetInt32(0), reader.GetInt32(1));
    }
}
