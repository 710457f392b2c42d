using System.Data;
using Dapper;

namespace Loxo.DapperHandlers;

/// <summary>Adds a <see cref="PgParameter"/> to the command, past Dapper's own conversions.</summary>
internal sealed class SingleParameter(object? value, PgDbType type, string? dataTypeName) : SqlMapper.ICustomQueryParameter
{
    public void AddParameter(IDbCommand command, string name)
    {
        var parameter = new PgParameter(name, value ?? DBNull.Value);
        if (dataTypeName is not null)
            parameter.DataTypeName = dataTypeName;
        else if (type != PgDbType.Unknown)
            parameter.PgDbType = type;
        command.Parameters.Add(parameter);
    }
}
