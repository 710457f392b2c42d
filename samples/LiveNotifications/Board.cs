using System.Globalization;
using Loxo;

namespace LiveNotifications;

/// <summary>Shows the stock as it is now.</summary>
internal sealed class Board(PgDataSource dataSource)
{
    private readonly Dictionary<string, int> _stock = [];
    private TaskCompletionSource _changed = New();

    /// <summary>Follows the stock until the token is cancelled.</summary>
    public async Task WatchAsync(CancellationToken token)
    {
        await foreach (var item in dataSource.ListenAsync("stock", token))
        {
            // The first item is a gap marker as well: what is read now and the notifications that follow are everything.
            if (item.IsGap)
                await ReadAllAsync(item.Gap, token);
            else
                Show(item);
        }
    }

    /// <summary>Waits until the board shows so many pieces.</summary>
    public async Task UntilAsync(string product, int pieces, Task watching)
    {
        while (!Shows(product, pieces, out var changed))
        {
            // An error of the watcher's is one of ours.
            await await Task.WhenAny(changed, watching);
        }
    }

    private static TaskCompletionSource New() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private async Task ReadAllAsync(PgNotificationGap reason, CancellationToken token)
    {
        await using var command = dataSource.CreateCommand("SELECT product, pieces FROM stock ORDER BY product");
        await using var reader = await command.ExecuteReaderAsync(token);
        while (await reader.ReadAsync(token))
            Set(reader.GetString(0), reader.GetInt32(1), reason.ToString());
    }

    private void Show(PgNotification item)
    {
        var parts = item.Payload.Split('=');
        Set(parts[0], int.Parse(parts[1], CultureInfo.InvariantCulture), "notified");
    }

    private void Set(string product, int pieces, string why)
    {
        // Before anybody who waits for it goes on.
        Console.WriteLine($"board  {product,-6} {pieces,3}  ({why})");
        lock (_stock)
        {
            _stock[product] = pieces;
            _changed.SetResult();
            _changed = New();
        }
    }

    private bool Shows(string product, int pieces, out Task changed)
    {
        lock (_stock)
        {
            changed = _changed.Task;
            return _stock.TryGetValue(product, out var shown) && shown == pieces;
        }
    }
}
