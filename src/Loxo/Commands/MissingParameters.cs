namespace Loxo.Commands;

/// <summary>
/// A name without a parameter cannot be refused beforehand: <c>@x</c> may be an operator and a column. When the server trips over the
/// very place where it stands, the user is told what is probably missing.
/// </summary>
internal static class MissingParameters
{
    /// <summary>The server's error; if a parameter is missing, with a text that says so.</summary>
    public static PostgresException Explain(PostgresException error, ReadOnlySpan<StatementPlan> statements, int failed)
    {
        if (failed < 0 || failed >= statements.Length)
            return error;
        var statement = statements[failed];
        // Bind gave another number of values than the statement has placeholders.
        if (error.SqlState == SqlStates.ProtocolViolation && error.Routine == "exec_bind_message")
            return error.Explain(
                $"The text names more or other parameters than the command has ({statement.Count}). Add a parameter for each $n.",
                PgErrorCode.ParameterMissing);
        if (error.SqlState is not (SqlStates.SyntaxError or SqlStates.UndefinedColumn or SqlStates.UndefinedFunction))
            return error;
        foreach (var name in statement.Missing)
        {
            if (StandsAt(statement.Sql, error.Position, name))
                return error.Explain(
                    $"The text names the parameter '{name}', but the command has no input parameter of that name. Add it to Parameters.",
                    PgErrorCode.ParameterMissing);
        }
        return error;
    }

    // The position is that of the mark or of the name behind it, counted in characters from 1.
    private static bool StandsAt(string sql, int position, string name)
    {
        for (var mark = position - 2; mark < position; mark++)
        {
            if (mark >= 0 && mark < sql.Length && sql[mark] is '@' or ':'
                && sql.AsSpan(mark + 1).StartsWith(name, StringComparison.OrdinalIgnoreCase))
                return true;
        }
        return false;
    }
}
