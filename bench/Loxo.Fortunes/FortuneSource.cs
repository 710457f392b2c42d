using System.Data.Common;
using Npgsql;

namespace Loxo.Fortunes;

/// <summary>Reads the rows. Both drivers run the same code, on the classes of ADO.NET.</summary>
/// <param name="database">The driver's data source; null for rows from memory.</param>
internal sealed class FortuneSource(DbDataSource? database)
{
    /// <summary>The data source of a driver.</summary>
    /// <param name="driver"><c>none</c>, <c>npgsql</c> or <c>loxo</c>.</param>
    /// <param name="connectionString">The variant's settings; unused without a driver.</param>
    public static FortuneSource Create(string driver, string connectionString) => new(driver switch
    {
        "none" => null,
        "npgsql" => NpgsqlDataSource.Create(connectionString),
        "loxo" => PgDataSource.Create(connectionString),
        _ => throw new ArgumentException($"There is no driver '{driver}'. Drivers: none, npgsql, loxo"),
    });

    public ValueTask<List<Fortune>> ReadAsync() => database is null ? new(FromMemory()) : ReadAsync(database);

    private static List<Fortune> FromMemory()
    {
        var fortunes = new List<Fortune>();
        for (var i = 0; i < FortuneData.Messages.Length; i++)
            fortunes.Add(new Fortune(i + 1, FortuneData.Messages[i]));
        return fortunes;
    }

    private static async ValueTask<List<Fortune>> ReadAsync(DbDataSource database)
    {
        var fortunes = new List<Fortune>();
        await using var connection = await database.OpenConnectionAsync();
        await using var command = connection.CreateCommand();
        command.CommandText = FortuneData.Query;
        await using var reader = await command.ExecuteReaderAsync();
        while (await reader.ReadAsync())
            fortunes.Add(new Fortune(reader.GetInt32(0), reader.GetString(1)));
        return fortunes;
    }
}
