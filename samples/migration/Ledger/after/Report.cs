using Loxo;
using Pair = (string Name, decimal Amount);

namespace Ledger;

/// <summary>Prints what the ledger holds.</summary>
internal sealed class Report(PgConnection connection)
{
    public void PrintAccounts()
    {
        using var command = new PgCommand("SELECT name, active, tags FROM account ORDER BY name", connection);
        using PgDataReader reader = command.ExecuteReader();
        while (reader.Read())
        {
            var active = reader.GetFieldValue<PgRange<DateTime>>(1);
            var tags = reader.GetFieldValue<string[]>(reader.GetOrdinal("tags"));
            var period = active.IsEmpty
                ? "never"
                : $"{Day(active.LowerBound, active.LowerBoundInfinite)} to {Day(active.UpperBound, active.UpperBoundInfinite)}";
            Console.WriteLine($"{reader.GetString(0),-8} {period,-24} {string.Join(", ", tags)}");
        }
    }

    public void PrintBookings(params string[] accounts)
    {
        using var command = connection.CreateCommand();
        command.CommandText = """
            SELECT account.name, booking.amount, booking.note
            FROM booking JOIN account ON account.id = booking.account
            WHERE account.name = ANY(@accounts) ORDER BY booking.id
            """;
        command.Parameters.AddWithValue("accounts", PgDbType.Array | PgDbType.Text, accounts);
        command.Prepare();
        using var reader = command.ExecuteReader();
        while (reader.Read())
            Console.WriteLine($"{reader["name"]} {reader.GetDecimal(1)} {(reader.IsDBNull(2) ? "-" : reader.GetString(2))}");
    }

    /// <summary>Prints two results of one round trip; compare <see cref="PgDataReader.NextResult"/>.</summary>
    public void PrintTotals()
    {
        using var command = new PgCommand(
            """
            SELECT name, sum(amount) FROM booking JOIN account ON account.id = account GROUP BY name ORDER BY name;
            SELECT count(*) FROM file
            """,
            connection);
        using var reader = command.ExecuteReader();
        var totals = new List<Pair>();
        while (reader.Read())
            totals.Add((reader.GetString(0), reader.GetDecimal(1)));
        reader.NextResult();
        reader.Read();
        Console.WriteLine($"{string.Join("; ", totals.Select(total => $"{total.Name} {total.Amount}"))}; {reader.GetInt64(0)} files");
    }

    private static string Day(DateTime day, bool isInfinite) => isInfinite ? "ever" : day.ToString("yyyy-MM-dd");
}
