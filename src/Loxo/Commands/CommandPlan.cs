using System.Data;
using Loxo.Parameters;
using Loxo.Sql;

namespace Loxo.Commands;

/// <summary>
/// What a command's text comes to with its parameters: statements with <c>$n</c>. Kept while text, type and the parameters' names and
/// directions stay the same, so that a command that runs again is neither lexed nor matched again. A part of its command, never copied.
/// </summary>
internal partial struct CommandPlan()
{
    private const int FewParameters = 16;

    private StatementPlan[] _statements = [];
    // Of the parameters; -1 while the plan is to be made.
    private int _version = -1;
    private bool _standardConformingStrings;

    /// <summary>In order. Another plan is another array.</summary>
    public readonly StatementPlan[] Statements => _statements;

    /// <summary>Brings the plan up to date.</summary>
    /// <returns>Whether it is another one.</returns>
    /// <exception cref="InvalidOperationException">The text is empty, or mixes names with positions.</exception>
    public bool Update(string text, CommandType type, PgParameterCollection parameters, SqlTextCache cache, bool standardConformingStrings)
    {
        if (parameters.Version == _version && standardConformingStrings == _standardConformingStrings)
            return false;
        Detach();
        _statements = type switch
        {
            CommandType.Text => OfText(text, parameters, cache, standardConformingStrings),
            CommandType.StoredProcedure => OfOwn(RoutineCall.Text(text, parameters, out var map), map, cache),
            _ => OfOwn($"SELECT * FROM {text}", [], cache),
        };
        (_version, _standardConformingStrings) = (parameters.Version, standardConformingStrings);
        return true;
    }

    /// <summary>Text or type of the command have changed.</summary>
    public void Outdate()
    {
        Detach();
        _version = -1;
    }

    // The last plan for the text serves every command whose parameters are in the same places. Threads may replace each other's.
    private static StatementPlan[] OfText(string text, PgParameterCollection parameters, SqlTextCache cache, bool standardConformingStrings)
    {
        var positional = parameters.ArePositional();
        var lexed = cache.Get(text, standardConformingStrings, splitAndReplace: !positional);
        var last = lexed.Plans as StatementPlan[];
        var plans = last ?? new StatementPlan[lexed.Statements.Length];
        for (var i = 0; i < plans.Length; i++)
        {
            var plan = Of(lexed.Statements[i], positional, parameters, last?[i]);
            if (ReferenceEquals(plan, plans[i]))
                continue;
            if (ReferenceEquals(plans, last))
                plans = [.. last];
            plans[i] = plan;
        }
        if (!ReferenceEquals(plans, last))
            lexed.Plans = plans;
        return plans;
    }

    private static StatementPlan Of(SqlStatement statement, bool positional, PgParameterCollection parameters, StatementPlan? last) =>
        positional ? OfPositional(statement, parameters, last) : OfNamed(statement, parameters, last);

    private static StatementPlan OfPositional(SqlStatement statement, PgParameterCollection parameters, StatementPlan? last)
    {
        var count = parameters.Count;
        Span<int> map = count <= FewParameters ? stackalloc int[FewParameters] : new int[count];
        var inputs = 0;
        for (var i = 0; i < count; i++)
        {
            if (parameters[i].IsInput)
                map[inputs++] = i;
        }
        return Of(statement, map[..inputs], last);
    }

    private static StatementPlan OfNamed(SqlStatement statement, PgParameterCollection parameters, StatementPlan? last)
    {
        var names = statement.ParameterNames;
        Span<int> map = names.Length <= FewParameters ? stackalloc int[FewParameters] : new int[names.Length];
        var replaced = (names.Length <= FewParameters ? stackalloc bool[FewParameters] : new bool[names.Length])[..names.Length];
        var found = 0;
        // While each name is that of the parameter in its place, none of the parameters before it has the next name.
        var areInOrder = true;
        for (var i = 0; i < names.Length; i++)
        {
            areInOrder = areInOrder && i < parameters.Count && parameters[i].Name.Equals(names[i], StringComparison.OrdinalIgnoreCase);
            var index = areInOrder ? i : parameters.IndexOf(names[i]);
            replaced[i] = index >= 0 && parameters[index].IsInput;
            if (replaced[i])
                map[found++] = index;
        }
        if (found > 0 && statement.HasDollarParameters)
            throw new InvalidOperationException("The text mixes $n with @name or :name. Use one kind in a statement.");
        return found == names.Length
            ? Of(statement, map[..found], last)
            : new StatementPlan(statement, Checked(map[..found]), statement.SqlFor(replaced), NamesWithout(names, replaced));
    }

    private static string[] NamesWithout(ReadOnlySpan<string> names, ReadOnlySpan<bool> replaced)
    {
        var missing = new List<string>();
        for (var i = 0; i < names.Length; i++)
        {
            if (!replaced[i])
                missing.Add(names[i]);
        }
        return [.. missing];
    }

    // SQL of our own making holds nothing to split or to replace.
    private static StatementPlan[] OfOwn(string sql, ReadOnlySpan<int> map, SqlTextCache cache)
    {
        var lexed = cache.Get(sql, standardConformingStrings: true, splitAndReplace: false);
        if (lexed.Plans is StatementPlan[] last && last[0].Fits(map))
            return last;
        StatementPlan[] plans = [new(lexed.Statements[0], Checked(map))];
        lexed.Plans = plans;
        return plans;
    }

    private static StatementPlan Of(SqlStatement statement, ReadOnlySpan<int> map, StatementPlan? last) =>
        last is not null && last.Fits(map) ? last : new StatementPlan(statement, Checked(map));

    private static int[] Checked(ReadOnlySpan<int> map) =>
        map.Length > ushort.MaxValue ? throw ParameterErrors.TooMany(map.Length) : map.ToArray();
}
