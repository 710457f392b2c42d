using System.Data;
using Loxo;

namespace Dispatcher;

/// <summary>Takes the oldest waiting job, works on it and says what became of it.</summary>
internal sealed class JobWorker(PgDataSource dataSource)
{
    private readonly List<string> _notices = [];

    public async Task AddAsync(Letter letter, Address address)
    {
        await using var command = dataSource.CreateCommand(
            "INSERT INTO job (state, letter, address, attempts) VALUES ($1, $2, $3, 0)");
        command.Parameters.Add(new PgParameter<JobState> { TypedValue = JobState.Waiting });
        command.Parameters.Add(new PgParameter { Value = letter, PgDbType = PgDbType.Jsonb });
        command.Parameters.Add(new PgParameter { Value = address, DataTypeName = "address" });
        await command.ExecuteNonQueryAsync();
    }

    public async Task<bool> RunNextAsync(CancellationToken token)
    {
        await using var connection = await dataSource.OpenConnectionAsync(token);
        connection.Notice += OnNotice;
        connection.Notification += OnNotification;
        await using (var listen = new PgCommand("LISTEN jobs", connection))
            await listen.ExecuteNonQueryAsync(token);
        await using var transaction = await connection.BeginTransactionAsync(IsolationLevel.ReadCommitted, token);
        if (await TakeAsync(connection, token) is not var (id, letter, address))
            return false;

        var state = letter.To.Length > 0 && address.City is not null ? JobState.Done : JobState.Failed;
        await using var finish = new PgCommand("SELECT finish(@id, @state)", connection, transaction);
        finish.Parameters.AddWithValue("id", PgDbType.Integer, id);
        finish.Parameters.AddWithValue("state", state);
        await finish.ExecuteNonQueryAsync(token);
        await transaction.CommitAsync(token);
        Console.WriteLine($"Letter to '{letter.To}', {address.Street}, with {letter.Enclosures.Length} enclosures: {state}");
        return true;
    }

    public async Task ReportAsync()
    {
        await using var command = dataSource.CreateCommand("SELECT state, address, letter FROM job ORDER BY id");
        await using var reader = await command.ExecuteReaderAsync();
        while (await reader.ReadAsync())
        {
            var address = await reader.GetFieldValueAsync<Address>(1);
            var state = reader.GetFieldValue<JobState>(0);
            Console.WriteLine($"{state}: {address.Street} ({address.City ?? "unknown"}), {reader.GetString(2)}");
        }
        Console.WriteLine(string.Join(", ", _notices));
    }

    private static async Task<(int Id, Letter Letter, Address Address)?> TakeAsync(PgConnection connection, CancellationToken token)
    {
        await using var command = new PgCommand(
            "SELECT id, letter, address FROM job WHERE state = $1 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED", connection);
        command.Parameters.Add(new() { Value = JobState.Waiting });
        await using PgDataReader reader = await command.ExecuteReaderAsync(CommandBehavior.SingleRow, token);
        return await reader.ReadAsync(token)
            ? (reader.GetInt32(0), reader.GetFieldValue<Letter>(1), reader.GetFieldValue<Address>(2))
            : null;
    }

    private void OnNotice(object sender, PgNoticeEventArgs e) => _notices.Add($"{e.Notice.Severity}: {e.Notice.MessageText}");

    private void OnNotification(object sender, PgNotificationEventArgs e) => _notices.Add($"{e.Channel} {e.Payload}");
}
