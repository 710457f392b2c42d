using Npgsql;

namespace Ledger;

/// <summary>The tables of the ledger, made for one run.</summary>
internal static class Schema
{
    /// <summary>Creates the schema on an open <see cref="NpgsqlConnection"/>.</summary>
    public static void Create(NpgsqlConnection connection)
    {
        Execute(connection, "DROP SCHEMA IF EXISTS ledger CASCADE");
        Execute(connection, "CREATE SCHEMA ledger");
        Execute(connection, """
            CREATE TABLE account (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text UNIQUE, active tsrange, tags text[] NOT NULL);
            CREATE TABLE file (name text PRIMARY KEY, lines int NOT NULL);
            CREATE TABLE booking (
                id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, account int NOT NULL REFERENCES account,
                amount numeric(12, 2) NOT NULL, note text)
            """);
    }

    public static void Drop(NpgsqlConnection connection) => Execute(connection, "DROP SCHEMA ledger CASCADE");

    private static void Execute(NpgsqlConnection connection, string sql)
    {
        using var command = new NpgsqlCommand(sql, connection);
        command.ExecuteNonQuery();
    }
}
