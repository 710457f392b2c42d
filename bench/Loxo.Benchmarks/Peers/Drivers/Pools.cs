using Npgsql;

namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>Empties pools after a row, so that the next begins with sessions of its own: one that was awaited on stays different.</summary>
internal static class Pools
{
    public static void ClearLoxo(string connectionString)
    {
        using var connection = new PgConnection(connectionString);
        PgConnection.ClearPool(connection);
    }

    public static void ClearNpgsql(string connectionString)
    {
        using var connection = new NpgsqlConnection(connectionString);
        NpgsqlConnection.ClearPool(connection);
    }
}
