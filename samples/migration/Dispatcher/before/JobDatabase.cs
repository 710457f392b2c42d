using Npgsql;

namespace Dispatcher;

internal static class JobDatabase
{
    public static async Task CreateAsync(string connectionString)
    {
        await ExecuteAsync(connectionString, "DROP SCHEMA IF EXISTS dispatcher CASCADE; CREATE SCHEMA dispatcher");
        await ExecuteAsync(connectionString + ";Search Path=dispatcher", """
            CREATE TYPE job_state AS ENUM ('waiting', 'finished', 'failed');
            CREATE TYPE address AS (street text, city text);
            CREATE TABLE job (
                id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, state job_state NOT NULL, letter jsonb NOT NULL,
                address address NOT NULL, attempts int NOT NULL);
            CREATE FUNCTION finish(job_id int, new_state job_state) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
                BEGIN
                    UPDATE job SET state = new_state, attempts = attempts + 1 WHERE id = job_id;
                    RAISE NOTICE 'job % is %', job_id, new_state;
                    PERFORM pg_notify('jobs', job_id::text);
                END $$
            """);
    }

    public static Task DropAsync(string connectionString) => ExecuteAsync(connectionString, "DROP SCHEMA dispatcher CASCADE");

    private static async Task ExecuteAsync(string connectionString, string sql)
    {
        await using var connection = new NpgsqlConnection(connectionString + ";Pooling=false");
        connection.Notice += static (_, _) => { };
        await connection.OpenAsync();
        await using var command = new NpgsqlCommand(sql, connection);
        await command.ExecuteNonQueryAsync();
    }
}
