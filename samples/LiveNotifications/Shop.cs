using Loxo;

namespace LiveNotifications;

/// <summary>A table of stock with a trigger that notifies of each change.</summary>
internal sealed class Shop(PgDataSource dataSource)
{
    private const string Schema = """
        CREATE TABLE stock (product text PRIMARY KEY, pieces int NOT NULL);
        INSERT INTO stock VALUES ('coffee', 10), ('tea', 20);
        CREATE FUNCTION tell_stock() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN PERFORM pg_notify(''stock'', NEW.product || ''='' || NEW.pieces); RETURN NULL; END';
        CREATE TRIGGER tell_stock AFTER UPDATE ON stock FOR EACH ROW EXECUTE FUNCTION tell_stock();
        """;

    public async Task CreateAsync(CancellationToken token)
    {
        await using var command = dataSource.CreateCommand(Schema);
        await command.ExecuteNonQueryAsync(token);
    }

    public async Task SellAsync(string product, int pieces, CancellationToken token)
    {
        await using var command = dataSource.CreateCommand("UPDATE stock SET pieces = pieces - $2 WHERE product = $1");
        command.Parameters.Add(new PgParameter<string>(product));
        command.Parameters.Add(new PgParameter<int>(pieces));
        await command.ExecuteNonQueryAsync(token);
        Console.WriteLine($"sold   {pieces} x {product}");
    }

    /// <summary>What an administrator, a failover or a broken network does to a connection.</summary>
    public async Task DisconnectListenersAsync(CancellationToken token)
    {
        await using var command = dataSource.CreateCommand(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()");
        await command.ExecuteNonQueryAsync(token);
    }
}
