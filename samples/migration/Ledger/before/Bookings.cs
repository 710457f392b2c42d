using System.Data;
using Npgsql;
using NpgsqlTypes;

namespace Ledger;

/// <summary>A line of a file of payments.</summary>
internal sealed record Payment(string Account, decimal Amount, string? Note);

/// <summary>Writes accounts and bookings with <see cref="NpgsqlCommand"/> and <see cref="NpgsqlBatch"/>.</summary>
internal sealed class Bookings(NpgsqlConnection connection)
{
    /// <summary>Opens an account for a period, which <see cref="NpgsqlRange{T}"/> holds.</summary>
    public void Open(string name, DateTime? from, DateTime? until, params string[] tags)
    {
        using var command = new NpgsqlCommand("INSERT INTO account (name, active, tags) VALUES ($1, $2, $3) RETURNING id", connection)
        {
            Parameters =
            {
                new NpgsqlParameter<string> { TypedValue = name },
                new() { Value = Period(from, until), NpgsqlDbType = NpgsqlDbType.TimestampRange },
                new() { Value = tags, NpgsqlDbType = NpgsqlDbType.Array | NpgsqlDbType.Text },
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
            using (var command = new NpgsqlCommand("INSERT INTO file (name, lines) VALUES (@name, @lines)", connection, transaction))
            {
                command.Parameters.AddWithValue("name", file);
                command.Parameters.Add("lines", NpgsqlDbType.Integer).Value = payments.Count;
                command.ExecuteNonQuery();
            }
            using var batch = new NpgsqlBatch(connection, transaction);
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
        catch (NpgsqlException e) when (e.SqlState == PostgresErrorCodes.NotNullViolation)
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
            using var command = new NpgsqlCommand(
                """
                UPDATE booking SET amount = amount + @difference FROM account
                WHERE account.id = account AND account.name = @name RETURNING amount
                """,
                connection, transaction);
            command.Parameters.Add(new NpgsqlParameter("difference", NpgsqlDbType.Numeric) { Value = difference });
            command.Parameters.Add(new NpgsqlParameter(parameterName: "name", value: name));
            var amount = (decimal)command.ExecuteScalar()!;
            if (amount > 0)
                transaction.Rollback("account");
            Console.WriteLine($"{name}: {amount} {(amount > 0 ? "is taken back" : "is kept")}.");
        }
        transaction.Commit();
    }

    private static NpgsqlRange<DateTime> Period(DateTime? from, DateTime? until) => from is null && until is null
        ? NpgsqlRange<DateTime>.Empty
        : new NpgsqlRange<DateTime>(from ?? default, true, from is null, until ?? default, false, until is null);

    private static NpgsqlBatchCommand Insert(Payment payment) => new(
        "INSERT INTO booking (account, amount, note) VALUES ((SELECT id FROM account WHERE name = $1), $2, $3)")
    {
        Parameters =
        {
            new NpgsqlParameter<string> { TypedValue = payment.Account },
            new NpgsqlParameter<decimal> { TypedValue = payment.Amount },
            new() { Value = (object?)payment.Note ?? DBNull.Value, NpgsqlDbType = NpgsqlDbType.Text },
        },
    };
}
