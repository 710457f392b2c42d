using System.Diagnostics;
using Loxo;

namespace Quickstart.Story;

/// <summary>
/// Four updates in a transaction, over a line of 25 ms in each direction: what counts is how often one waits for an answer. BEGIN never
/// waits, it travels with the first statement; in a pipeline nothing waits but COMMIT.
/// </summary>
internal static class OverALongLine
{
    private static readonly TimeSpan Delay = TimeSpan.FromMilliseconds(25);

    private static readonly string[] Moves =
    [
        "UPDATE products SET stock = stock - $1 WHERE id = 1",
        "UPDATE products SET stock = stock + $1 WHERE id = 2",
        "UPDATE products SET stock = stock - $1 WHERE id = 3",
        "UPDATE products SET stock = stock + $1 WHERE id = 4",
    ];

    public static async Task<StoryLine> Measure(ShopDatabase database, CancellationToken token)
    {
        await using var near = await database.DataSource.OpenConnectionAsync(token);
        using var line = new SlowedLink(near.Host!, near.Port, Delay);
        await using var connection = new PgConnection(database.ConnectionString(settings =>
        {
            (settings.Host, settings.Port, settings.Pooling) = (line.Host, line.Port, false);
        }));
        await connection.OpenAsync(token);

        var (oneByOne, waits) = await Measure(line, () => OneByOne(connection, token));
        var (pipelined, fewerWaits) = await Measure(line, () => InAPipeline(connection, token));
        return new StoryLine(
            "4 updates in a transaction, 50 ms away", $"pipeline {StoryTable.Milliseconds(pipelined)}", $"one by one {StoryTable.Milliseconds(oneByOne)}",
            $"{fewerWaits} round trip, not {waits}");
    }

    private static async Task<(TimeSpan Time, int RoundTrips)> Measure(SlowedLink line, Func<Task> run)
    {
        await run(); // the first time also learns the statements
        var (start, before) = (Stopwatch.GetTimestamp(), line.RoundTrips);
        await run();
        return (Stopwatch.GetElapsedTime(start), line.RoundTrips - before);
    }

    private static async Task OneByOne(PgConnection connection, CancellationToken token)
    {
        await using var transaction = await connection.BeginTransactionAsync(token);
        foreach (var sql in Moves)
        {
            await using var command = new PgCommand(sql, connection, transaction);
            command.Parameters.AddWithValue(1);
            await command.ExecuteNonQueryAsync(token);
        }
        await transaction.CommitAsync(token);
    }

    private static async Task InAPipeline(PgConnection connection, CancellationToken token)
    {
        await using var transaction = await connection.BeginTransactionAsync(token);
        await using var pipeline = connection.CreatePipeline();
        foreach (var sql in Moves)
        {
            var command = new PgCommand(sql);
            command.Parameters.AddWithValue(1);
            pipeline.AddNonQuery(command);
        }
        await pipeline.AddCommit().WaitAsync(token);
    }
}
