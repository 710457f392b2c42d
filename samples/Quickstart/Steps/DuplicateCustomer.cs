using Loxo;

namespace Quickstart.Steps;

/// <summary>The server refuses a statement. That is an exception, not the end of the connection.</summary>
internal static class DuplicateCustomer
{
    public static async Task<string> Run(PgConnection connection, CancellationToken token)
    {
        var refusal = "";
        try
        {
            await using var insert = new PgCommand("INSERT INTO customers (name, email) VALUES (@name, @email)", connection);
            insert.Parameters.AddWithValue("name", "Another Ada");
            insert.Parameters.AddWithValue("email", "ada@example.com");
            await insert.ExecuteNonQueryAsync(token);
        }
        catch (PostgresException e) when (e.SqlState == SqlStates.UniqueViolation)
        {
            refusal = $"{e.SqlState} on {e.ConstraintName}: {e.MessageText}";
        }

        await using var count = new PgCommand("SELECT count(*) FROM customers", connection);
        return $"{refusal}\nthe same connection goes on: {await count.ExecuteScalarAsync(token)} customers";
    }
}
