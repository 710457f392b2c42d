using System.Data;
using Loxo.Parameters;
using Loxo.Session;
using Loxo.Sql;

namespace Loxo.Commands;

/// <summary>
/// What a command's text comes to with its parameters: statements with <c>$n</c>. Kept while text, type and the parameters' names and
/// directions stay the same, so that a command that runs again is neither lexed nor matched again. A part of its command, never copied.
/// </summary>
internal struct CommandPlan()
{
    private const int FewParameters = 16;
    private static readonly int[] InOrder = [.. Enumerable.Range(0, FewParameters)];
    private static readonly int[][] InOrderOf = [.. Enumerable.Range(0, FewParameters + 1).Select(count => InOrder[..count])];

    // Most commands have one statement, and no array for it.
    private StatementPlan? _statement;
    private StatementPlan[] _others = [];
    // Of the parameters; -1 while the plan is to be made.
    private int _version = -1;
    private bool _standardConformingStrings;

    /// <summary>In order.</summary>
    [UnscopedRef]
    public readonly ReadOnlySpan<StatementPlan> Statements => _statement is null ? _others : new ReadOnlySpan<StatementPlan>(in _statement);

    /// <summary>Whether there are statements and all of them were prepared on that session.</summary>
    public readonly bool IsPreparedOn(ServerSession session)
    {
        foreach (var statement in Statements)
        {
            if (statement.Prepared is not { IsOnServer: true } prepared || !session.Statements.Contains(prepared))
                return false;
        }
        return Statements.Length > 0;
    }

    /// <summary>Brings the plan up to date.</summary>
    /// <exception cref="InvalidOperationException">The text is empty, or mixes names with positions.</exception>
    public void Update(string text, CommandType type, PgParameterCollection parameters, SqlTextCache cache, bool standardConformingStrings)
    {
        if (parameters.Version == _version && standardConformingStrings == _standardConformingStrings)
            return;
        Detach();
        (_statement, _others) = type switch
        {
            CommandType.Text => OfText(text, parameters, cache, standardConformingStrings),
            CommandType.StoredProcedure => (OfOwn(RoutineCall.Text(text, parameters, out var map), map, parameters, cache), []),
            _ => (OfOwn($"SELECT * FROM {text}", [], parameters, cache), []),
        };
        (_version, _standardConformingStrings) = (parameters.Version, standardConformingStrings);
    }

    /// <summary>Text or type of the command have changed.</summary>
    public void Outdate()
    {
        Detach();
        _version = -1;
    }

    /// <summary>Forgets what was prepared: the command no longer holds it.</summary>
    public readonly void Detach()
    {
        foreach (var statement in Statements)
            statement.Prepared = null;
    }

    private static (StatementPlan? Single, StatementPlan[] Others) OfText(
        string text, PgParameterCollection parameters, SqlTextCache cache, bool standardConformingStrings)
    {
        var positional = parameters.ArePositional();
        var statements = cache.Get(text, standardConformingStrings, splitAndReplace: !positional).Statements;
        if (statements.Length == 1)
            return (Of(statements[0], positional, parameters), []);
        var plans = new StatementPlan[statements.Length];
        for (var i = 0; i < plans.Length; i++)
            plans[i] = Of(statements[i], positional, parameters);
        return (null, plans);
    }

    private static StatementPlan Of(SqlStatement statement, bool positional, PgParameterCollection parameters) =>
        positional ? OfPositional(statement, parameters) : OfNamed(statement, parameters);

    private static StatementPlan OfPositional(SqlStatement statement, PgParameterCollection parameters)
    {
        var count = parameters.Count;
        Span<int> map = count <= FewParameters ? stackalloc int[FewParameters] : new int[count];
        var inputs = 0;
        for (var i = 0; i < count; i++)
        {
            if (parameters[i].IsInput)
                map[inputs++] = i;
        }
        return new StatementPlan(statement, MapOf(map[..inputs]), parameters);
    }

    private static StatementPlan OfNamed(SqlStatement statement, PgParameterCollection parameters)
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
            ? new StatementPlan(statement, MapOf(map[..found]), parameters)
            : new StatementPlan(statement, MapOf(map[..found]), parameters, statement.SqlFor(replaced), NamesWithout(names, replaced));
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
    private static StatementPlan OfOwn(string sql, ReadOnlySpan<int> map, PgParameterCollection parameters, SqlTextCache cache)
    {
        var statement = cache.Get(sql, standardConformingStrings: true, splitAndReplace: false).Statements[0];
        return new StatementPlan(statement, MapOf(map), parameters);
    }

    // Mostly the parameters are in the order of their first use, and then no statement needs a map of its own.
    private static int[] MapOf(ReadOnlySpan<int> map) => map.Length > ushort.MaxValue
        ? throw ParameterErrors.TooMany(map.Length)
        : map.Length <= FewParameters && map.SequenceEqual(InOrder.AsSpan(0, map.Length))
            ? InOrderOf[map.Length]
            : map.ToArray();
}
