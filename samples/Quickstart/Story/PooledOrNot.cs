using Loxo;

namespace Quickstart.Story;

/// <summary>Open, one small query, close: with a session from the pool, and with a new one each time.</summary>
internal static class PooledOrNot
{
    private const int Pooled = 1_000;
    private const int Unpooled = 50;

    public static Task<StoryLine> Measure(ShopDatabase database)
    {
        var pooled = StoryTable.Best(() => OpenQueryClose(database.ConnectionString(settings => settings.Pooling = true), Pooled)) / Pooled;
        var unpooled = StoryTable.Best(() => OpenQueryClose(database.ConnectionString(settings => settings.Pooling = false), Unpooled)) / Unpooled;
        return Task.FromResult(new StoryLine(
            "open, query, close", $"pooled {StoryTable.Microseconds(pooled)}", $"not pooled {StoryTable.Microseconds(unpooled)}", StoryTable.Times(pooled, unpooled)));
    }

    private static void OpenQueryClose(string connectionString, int times)
    {
        for (var i = 0; i < times; i++)
        {
            using var connection = new PgConnection(connectionString);
            connection.Open();
            using var command = new PgCommand("SELECT name FROM products WHERE id = @id", connection);
            command.Parameters.AddWithValue("id", 1 + i % 4);
            command.ExecuteScalar();
        }
    }
}
