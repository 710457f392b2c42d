using System.Data.Common;

namespace Loxo.Fortunes;

/// <summary>Reads the rows through a driver. Both drivers run the same code, on the classes of ADO.NET.</summary>
internal sealed class DatabaseFortunes(DbDataSource database) : FortuneSource
{
    public override async ValueTask<List<Fortune>> ReadAsync()
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
