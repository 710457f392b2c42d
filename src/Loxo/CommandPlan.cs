using System.Data;
using System.Globalization;
using System.Text;
using Loxo.Session;
using Loxo.Sql;

namespace Loxo;

/// <summary>
/// What a command's text comes to with its parameters: statements with <c>$n</c>. Kept while text, type and parameter names stay the same,
/// so that a command that runs again is neither lexed nor matched again.
/// </summary>
internal sealed class CommandPlan
{
    private string? _text;
    private CommandType _type;
    private int _version = -1;
    private bool _standardConformingStrings;
    private StatementPlan[] _statements = [];

    /// <summary>In order.</summary>
    public ReadOnlySpan<StatementPlan> Statements => _statements;

    /// <summary>Whether there are statements and all of them were prepared on that session.</summary>
    public bool IsPreparedOn(ServerSession session) => _statements.Length > 0
        && Array.TrueForAll(_statements, statement => statement.Prepared is { IsOnServer: true } prepared && session.Statements.Contains(prepared));

    /// <summary>Brings the plan up to date.</summary>
    /// <exception cref="InvalidOperationException">The text is empty, or names without a parameter stand beside positional ones.</exception>
    public void Update(string text, CommandType type, PgParameterCollection parameters, SqlTextCache cache, bool standardConformingStrings)
    {
        if (ReferenceEquals(text, _text) && type == _type && parameters.Version == _version && standardConformingStrings == _standardConformingStrings)
            return;
        Detach();
        _statements = type switch
        {
            CommandType.Text => OfText(text, parameters, cache, standardConformingStrings),
            CommandType.StoredProcedure => [OfProcedure(text, parameters, cache)],
            CommandType.TableDirect => [OfOwn($"SELECT * FROM {text}", [], parameters, cache)],
            _ => throw new ArgumentOutOfRangeException(nameof(type), type, "Text, StoredProcedure and TableDirect are the types of commands."),
        };
        (_text, _type, _version, _standardConformingStrings) = (text, type, parameters.Version, standardConformingStrings);
    }

    /// <summary>Forgets what was prepared: the command no longer holds it.</summary>
    public void Detach()
    {
        foreach (var statement in _statements)
            statement.Prepared = null;
    }

    private static StatementPlan[] OfText(string text, PgParameterCollection parameters, SqlTextCache cache, bool standardConformingStrings)
    {
        var positional = parameters.ArePositional();
        var statements = cache.Get(text, standardConformingStrings, splitAndReplace: !positional).Statements;
        var plans = new StatementPlan[statements.Length];
        for (var i = 0; i < plans.Length; i++)
            plans[i] = positional ? OfPositional(statements[i], parameters) : OfNamed(statements[i], parameters);
        return plans;
    }

    private static StatementPlan OfPositional(SqlStatement statement, PgParameterCollection parameters)
    {
        var inputs = new List<int>(parameters.Count);
        for (var i = 0; i < parameters.Count; i++)
        {
            if (parameters[i].IsInput)
                inputs.Add(i);
        }
        return Plan(statement.Sql, statement, inputs, parameters);
    }

    private static StatementPlan OfNamed(SqlStatement statement, PgParameterCollection parameters)
    {
        var names = statement.ParameterNames;
        var replaced = new bool[names.Length];
        var map = new List<int>(names.Length);
        var missing = new List<string>();
        for (var i = 0; i < names.Length; i++)
        {
            var index = parameters.IndexOf(names[i]);
            replaced[i] = index >= 0 && parameters[index].IsInput;
            if (replaced[i])
                map.Add(index);
            else
                missing.Add(names[i]);
        }
        if (map.Count > 0 && statement.HasDollarParameters)
            throw new InvalidOperationException("The text mixes $n with @name or :name. Use one kind in a statement.");
        return Plan(statement.SqlFor(replaced), statement, map, parameters, missing.Count == 0 ? [] : [.. missing]);
    }

    // CALL takes an argument for OUT parameters too and ignores its value (manual, CALL).
    private static StatementPlan OfProcedure(string name, PgParameterCollection parameters, SqlTextCache cache)
    {
        var sql = new StringBuilder("CALL ").Append(name).Append('(');
        var map = new List<int>(parameters.Count);
        for (var i = 0; i < parameters.Count; i++)
        {
            var parameter = parameters[i];
            if (parameter.Direction == ParameterDirection.ReturnValue)
                continue;
            sql.Append(sql[^1] == '(' ? "" : ", ");
            if (parameter.ParameterName.Length > 0)
                sql.Append(SqlIdentifier.Quote(parameter.ParameterName)).Append(" => ");
            if (parameter.IsInput)
            {
                map.Add(i);
                sql.Append(CultureInfo.InvariantCulture, $"${map.Count}");
            }
            else
            {
                sql.Append("NULL");
            }
        }
        return OfOwn(sql.Append(')').ToString(), map, parameters, cache);
    }

    // SQL of our own making holds nothing to split or to replace.
    private static StatementPlan OfOwn(string sql, List<int> map, PgParameterCollection parameters, SqlTextCache cache)
    {
        var statement = cache.Get(sql, standardConformingStrings: true, splitAndReplace: false).Statements[0];
        return Plan(statement.Sql, statement, map, parameters);
    }

    private static StatementPlan Plan(string sql, SqlStatement source, List<int> map, PgParameterCollection parameters, string[]? missing = null) =>
        map.Count <= ushort.MaxValue
            ? new StatementPlan(sql, source, [.. map], parameters) { Missing = missing ?? [] }
            : throw ParameterErrors.TooMany(map.Count);
}
