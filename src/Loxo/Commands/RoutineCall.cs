using System.Data;
using System.Text;
using Loxo.Sql;

namespace Loxo.Commands;

/// <summary>The statement of a command of type StoredProcedure.</summary>
internal static class RoutineCall
{
    private const string FunctionSwitch = "Loxo.EnableStoredProcedureCompatMode";

    /// <summary>Calls a procedure, or selects from a function if the process has asked for it.</summary>
    /// <param name="name">Its name, as in SQL.</param>
    /// <param name="parameters">Its arguments; those with names are passed by name.</param>
    /// <param name="map">Which of them are sent, in the order of the text.</param>
    public static string Text(string name, PgParameterCollection parameters, out int[] map)
    {
        var isFunction = AppContext.TryGetSwitch(FunctionSwitch, out var isOn) && isOn;
        var sql = new StringBuilder(isFunction ? "SELECT * FROM " : "CALL ").Append(name).Append('(');
        var sent = new List<int>(parameters.Count);
        for (var i = 0; i < parameters.Count; i++)
        {
            var parameter = parameters[i];
            // CALL takes an argument for OUT parameters too and ignores its value (manual, CALL); a function takes none.
            if (parameter.Direction == ParameterDirection.ReturnValue || (isFunction && !parameter.IsInput))
                continue;
            sql.Append(sql[^1] == '(' ? "" : ", ");
            if (parameter.Name.Length > 0)
                sql.Append(SqlIdentifier.Quote(parameter.Name.ToString())).Append(" => ");
            if (parameter.IsInput)
            {
                sent.Add(i);
                sql.Append(CultureInfo.InvariantCulture, $"${sent.Count}");
            }
            else
            {
                sql.Append("NULL");
            }
        }
        map = [.. sent];
        return sql.Append(')').ToString();
    }
}
