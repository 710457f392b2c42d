using System.Globalization;
using Loxo;

namespace Quickstart.Story;

/// <summary>A long result, read value by value.</summary>
internal static class RowsPerSecond
{
    private const int Rows = 100_000;

    public static async Task<StoryLine> Measure(ShopDatabase database, CancellationToken token)
    {
        await using var connection = await database.DataSource.OpenConnectionAsync(token);
        await using var command = new PgCommand($"SELECT i, 'row ' || i, i * 0.5::float8, i * 1000::bigint FROM generate_series(1, {Rows}) i", connection);
        await command.PrepareAsync(token);
        var time = StoryTable.Best(() => Read(command));
        var rate = (Rows / time.TotalSeconds).ToString("N0", CultureInfo.InvariantCulture);
        return new StoryLine($"{Rows:N0} rows of 4 columns, a text among them", StoryTable.Milliseconds(time), $"{rate} rows a second", "");
    }

    private static double Read(PgCommand command)
    {
        var sum = 0.0;
        using var reader = command.ExecuteReader();
        while (reader.Read())
            sum += reader.GetInt32(0) + reader.GetString(1).Length + reader.GetDouble(2) + reader.GetInt64(3);
        return sum;
    }
}
