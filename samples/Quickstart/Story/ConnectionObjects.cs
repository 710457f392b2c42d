using Loxo;

namespace Quickstart.Story;

/// <summary>Objects of PgConnection are cheap: make one for each piece of work and dispose it. The sessions behind them are pooled.</summary>
internal static class ConnectionObjects
{
    private const int Count = 10_000;

    public static Task<StoryLine> Measure(ShopDatabase database)
    {
        var connectionString = database.ConnectionString();
        var bytes = GC.GetAllocatedBytesForCurrentThread();
        Make(connectionString);
        bytes = GC.GetAllocatedBytesForCurrentThread() - bytes;
        var time = StoryTable.Best(() => Make(connectionString));
        return Task.FromResult(new StoryLine($"{Count:N0} connection objects", StoryTable.Milliseconds(time), $"{bytes / Count} bytes each", ""));
    }

    private static void Make(string connectionString)
    {
        for (var i = 0; i < Count; i++)
            GC.KeepAlive(new PgConnection(connectionString));
    }
}
