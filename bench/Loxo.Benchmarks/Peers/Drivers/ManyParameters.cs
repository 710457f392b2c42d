using System.Data.Common;

namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>
/// As many named parameters as the protocol takes, through the types that all ADO.NET providers share: command, parameters and values are made anew
/// each time, the text is the same.
/// </summary>
internal sealed class ManyParameters : IPeer
{
    private const int Count = 65_535;

    private static readonly string[] _names = [.. Enumerable.Range(0, Count).Select(i => $"p{i}")];
    private static readonly string _text = $"SELECT array_length(ARRAY[{string.Join(',', _names.Select(name => "@" + name))}], 1)";

    private readonly DbConnection _connection;

    public ManyParameters(DbConnection connection)
    {
        _connection = connection;
        _connection.Open();
    }

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            using var command = Command();
            sum += (int)command.ExecuteScalar()!;
        }
        return sum;
    }

    public async Task<long> RunAsync(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            await using var command = Command();
            sum += (int)(await command.ExecuteScalarAsync())!;
        }
        return sum;
    }

    public void Dispose() => _connection.Dispose();

    private DbCommand Command()
    {
        var command = _connection.CreateCommand();
        command.CommandText = _text;
        for (var i = 0; i < _names.Length; i++)
        {
            var parameter = command.CreateParameter();
            parameter.ParameterName = _names[i];
            parameter.Value = i;
            command.Parameters.Add(parameter);
        }
        return command;
    }
}
