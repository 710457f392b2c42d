using System.Data.Common;
using Loxo.Conformance.Rules;

namespace Loxo.Conformance.Conversions;

/// <summary>A value of a column, read as a .NET type.</summary>
internal sealed record Cell(string Type, string Value, string Target);

/// <summary>What came of reading a cell.</summary>
/// <param name="Generic">The answer of GetFieldValue.</param>
/// <param name="Typed">The answer of the type's getter; null if there is none.</param>
/// <param name="CanGoOn">Whether another column of the row could be read afterwards.</param>
internal sealed record CellAnswers(string Generic, string? Typed, bool CanGoOn);

/// <summary>All cells of a driver, read once in each wait mode.</summary>
internal static class Matrix
{
    public const string Null = "NULL";

    private static readonly Dictionary<(Driver, WaitMode), Dictionary<Cell, CellAnswers>> _read = [];

    public static async Task<IReadOnlyDictionary<Cell, CellAnswers>> Of(Driver driver, WaitMode mode)
    {
        if (_read.TryGetValue((driver, mode), out var cells))
            return cells;
        cells = [];
        await using var connection = driver.Factory().CreateConnection()!;
        connection.ConnectionString = driver.ConnectionString();
        await mode.Open(connection);
        foreach (var column in Column.Of(driver))
        {
            await using var command = connection.CreateCommand();
            command.CommandText = column.Sql;
            await using var reader = await mode.Run(command.ExecuteReader, () => command.ExecuteReaderAsync());
            await mode.Read(reader);
            await Read(driver, mode, reader, column, cells);
        }
        return _read[(driver, mode)] = cells;
    }

    private static async Task Read(Driver driver, WaitMode mode, DbDataReader reader, Column column, Dictionary<Cell, CellAnswers> cells)
    {
        string[] values = [Null, .. column.Values];
        for (var i = 0; i < values.Length; i++)
        {
            foreach (var target in Target.All)
            {
                // SQLite's library ends the process when it is asked for NULL or nothing as a stream.
                if (driver == Driver.Sqlite && target.Name is "Stream" or "TextReader")
                    continue;
                var ordinal = i;
                var generic = await Answer.Of(() => mode.Run(
                    () => target.GetFieldValue(reader, ordinal), () => target.GetFieldValueAsync(reader, ordinal)));
                var typed = target.Getter is not { } getter ? null
                    : await Answer.Of(() => mode.Run(() => getter(reader, ordinal), () => Task.FromResult(getter(reader, ordinal))));
                cells[new(column.Type, values[i], target.Name)] = new(generic, typed, reader.GetInt32(reader.FieldCount - 1) == 42);
            }
        }
    }
}
