using Loxo.Protocol;
using Loxo.Protocol.Frontend;
using Loxo.Session;

namespace Loxo.Commands;

/// <summary>The values of a statement's parameters as they are now.</summary>
internal readonly struct StatementValues(StatementPlan statement, PgParameterCollection parameters) : IParameterValues
{
    private readonly int[] _map = statement.Map;

    public int Count => _map.Length;

    /// <summary>
    /// Finds types and codecs for the values as they are now. A NULL without a type has the one that the command was prepared with; else
    /// the server chooses it.
    /// </summary>
    /// <param name="types">They have the types of the statement until another one is bound.</param>
    public void Bind(SessionTypes types)
    {
        var nullsMatch = true;
        var bound = types.BeginBinding(_map.Length);
        for (var i = 0; i < _map.Length; i++)
        {
            var parameter = parameters[_map[i]];
            parameter.Bind(_map[i], types);
            bound[i] = parameter.BoundOid;
            nullsMatch &= bound[i] != 0 || parameter.IsNull;
        }
        types.NullsMatch = nullsMatch;
        // Of another command's statement it takes none: what a text means must not depend on who has used the session before.
        if (nullsMatch && statement.Prepared?.ParameterTypes is { } prepared && CachedStatement.Fits(prepared, bound, nullsMatch: true))
            prepared.CopyTo(bound);
    }

    /// <summary>For preparation: a parameter without a value needs no more than a type.</summary>
    public void BindTypes(SessionTypes types)
    {
        var bound = types.BeginBinding(_map.Length);
        for (var i = 0; i < _map.Length; i++)
        {
            var parameter = parameters[_map[i]];
            if (!parameter.TryBindType(types))
                parameter.Bind(_map[i], types);
            bound[i] = parameter.BoundOid;
        }
    }

    public FormatCode Format(int index) => parameters[_map[index]].BoundFormat;

    public void Write(int index, MessageWriter writer) => parameters[_map[index]].Write(writer, _map[index]);
}
