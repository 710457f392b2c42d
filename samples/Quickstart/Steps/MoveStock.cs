using Loxo;
using Quickstart.Story;

namespace Quickstart.Steps;

/// <summary>
/// A transaction in a pipeline: BEGIN, four updates and COMMIT are sent together. The link to the server delivers everything 25 ms later in
/// each direction and counts how often the program waits for an answer.
/// </summary>
internal static class MoveStock
{
    private static readonly int[] Changes = [-20, +20, -5, +5];

    public static async Task<string> Run(ShopDatabase database, CancellationToken token)
    {
        await using var near = await database.DataSource.OpenConnectionAsync(token);
        using var link = new SlowedLink(near.Host!, near.Port, TimeSpan.FromMilliseconds(25));
        await using var connection = new PgConnection(database.ConnectionString(settings =>
        {
            (settings.Host, settings.Port, settings.Pooling) = (link.Host, link.Port, false);
        }));
        await connection.OpenAsync(token);

        var before = link.RoundTrips;
        var moved = await Move(connection, token);
        var roundTrips = link.RoundTrips - before;
        return $"{moved} rows changed and committed, round trips: {roundTrips}";
    }

    private static async Task<int> Move(PgConnection connection, CancellationToken token)
    {
        await using var transaction = await connection.BeginTransactionAsync(token);
        await using var pipeline = connection.CreatePipeline();
        var updates = new List<PgPipelineResult<int>>();
        for (var i = 0; i < Changes.Length; i++)
        {
            // Adding a command encodes its values and waits for nothing.
            var update = new PgCommand("UPDATE products SET stock = stock + $1 WHERE id = $2");
            update.Parameters.AddWithValue(Changes[i]);
            update.Parameters.AddWithValue(i + 1);
            updates.Add(pipeline.AddNonQuery(update));
        }
        await pipeline.AddCommit().WaitAsync(token);

        // Each command has a result of its own; these have arrived with the answer to COMMIT.
        var moved = 0;
        foreach (var update in updates)
            moved += await update.GetResultAsync(token);
        return moved;
    }
}
