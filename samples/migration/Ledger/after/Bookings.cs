using System.Data;
using Loxo;

namespace Ledger;

/// <summary>A line of a file of payments.</summary>
internal sealed record Payment(string Account, decimal Amount, string? Note);

/// <summary>Writes accounts and bookings with <see cref="PgCommand"/> and <see cref="PgBatch"/>.</summary>
internal sealed class Bookings(PgConnection connection)
{
    /// <summary>Opens an account for a period, which <see cref="PgRange{T}"/> holds.</summary>
    public void Open(string name, DateTime? from, DateTime? until, params string[] tags)
    {
        using var command = new PgCommand("INSERT INTO account (name, active, tags) VALUES ($1, $2, $3) RETURNING id", connection)
        {
            Parameters =
            {
                new PgParameter<string> { TypedValue = name },
                new() { Value = Period(from, until), PgDbType = PgDbType.TimestampRange },
                new() { Value = tags, PgDbType = PgDbType.Array | PgDbType.Text },
            },
        };
        Console.WriteLine($"Account {name} has the number {(int)command.ExecuteScalar()!}.");
    }

    /// <summary>Books a file: all of its lines or none.</summary>
    public void Book(string file, IReadOnlyList<Payment> payments)
    {
        using var transaction = connection.BeginTransaction(IsolationLevel.RepeatableRead);
        try
        {
            using (var command = new PgCommand("INSERT INTO file (name, lines) VALUES (@name, @lines)", connection, transaction))
            {
                command.Parameters.AddWithValue("name", file);
                command.Parameters.Add("lines", PgDbType.Integer).Value = payments.Count;
                command.ExecuteNonQuery();
            }
            using var batch = new PgBatch(connection, transaction);
            foreach (var payment in payments)
                batch.BatchCommands.Add(Insert(payment));
            Console.WriteLine($"{file}: {batch.ExecuteNonQuery()} bookings.");
            transaction.Commit();
        }
        catch (PostgresException e) when (e.SqlState == PostgresErrorCodes.UniqueViolation)
        {
            Console.WriteLine($"{file}: booked before ({e.ConstraintName}).");
            transaction.Rollback();
        }
        catch (PgException e) when (e.SqlState == PostgresErrorCodes.NotNullViolation)
        {
            Console.WriteLine($"{file}: a line names no account, nothing is booked ({((PostgresException)e).ColumnName}).");
            transaction.Rollback();
        }
    }

    /// <summary>Corrects the accounts one by one; what makes a balance positive is taken back.</summary>
    public void CorrectAmounts(decimal difference)
    {
        using var transaction = connection.BeginTransaction();
        foreach (var name in new[] { "coffee", "wages" })
        {
            transaction.Save("account");
            using var command = new PgCommand(
                """
                UPDATE booking SET amount = amount + @difference FROM account
                WHERE account.id = account AND account.name = @name RETURNING amount
                """,
                connection, transaction);
            command.Parameters.Add(new PgParameter("difference", PgDbType.Numeric) { Value = difference });
            command.Parameters.Add(new PgParameter(parameterName: "name", value: name));
            var amount = (decimal)command.ExecuteScalar()!;
            if (amount > 0)
                transaction.Rollback("account");
            Console.WriteLine($"{name}: {amount} {(amount > 0 ? "is taken back" : "is kept")}.");
        }
        transaction.Commit();
    }

    private static PgRange<DateTime> Period(DateTime? from, DateTime? until) => from is null && until is null
        ? PgRange<DateTime>.Empty
        : new PgRange<DateTime>(from ?? default, true, from is null, until ?? default, false, until is null);

    private static PgBatchCommand Insert(Payment payment) => new(
        "INSERT INTO booking (account, amount, note) VALUES ((SELECT id FROM account WHERE name = $1), $2, $3)")
    {
        Parameters =
        {
            new PgParameter<string> { TypedValue = payment.Account },
            new PgParameter<decimal> { TypedValue = payment.Amount },
            new() { Value = (object?)payment.Note ?? DBNull.Value, PgDbType = PgDbType.Text },
        },
    };
}
