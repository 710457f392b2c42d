using Loxo;

namespace Quickstart.Steps;

/// <summary>
/// After an error the server ignores everything in a transaction until it is rolled back, entirely or to a savepoint. Committing such a
/// transaction would throw, for nothing would have been committed.
/// </summary>
internal static class SaveThePoint
{
    public static async Task<string> Run(PgConnection connection, CancellationToken token)
    {
        await using var transaction = await connection.BeginTransactionAsync(token);
        await Execute(connection, "UPDATE products SET price = price * 1.1", token);
        await transaction.SaveAsync("prices", token);
        var refusal = "";
        try
        {
            await Execute(connection, "UPDATE products SET stock = -1", token);
        }
        catch (PostgresException e) when (e.SqlState == SqlStates.CheckViolation)
        {
            refusal = $"{e.SqlState} on {e.ConstraintName}";
            await transaction.RollbackAsync("prices", token);
        }
        var changed = await Execute(connection, "UPDATE products SET stock = stock + 100", token);
        await transaction.CommitAsync(token);
        return $"{refusal}; rolled back to the savepoint, then {changed} rows changed and committed";
    }

    private static async Task<int> Execute(PgConnection connection, string sql, CancellationToken token)
    {
        await using var command = new PgCommand(sql, connection);
        return await command.ExecuteNonQueryAsync(token);
    }
}
