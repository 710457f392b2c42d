using Loxo.Protocol;
using Loxo.Protocol.Frontend;
using Loxo.Session;

namespace Loxo;

/// <summary>One statement of a command: its SQL with <c>$n</c>, and which parameter each n is.</summary>
internal sealed class StatementPlan(string sql, int[] map, string[] missing, PgParameterCollection parameters) : IParameterValues
{
    private readonly uint[] _types = new uint[map.Length];
    private PreparedStatement? _prepared;

    public string Sql { get; } = sql;

    public int Count => map.Length;

    /// <summary>Names in the text that no parameter has; they were left as they are, since they may be no placeholders at all.</summary>
    public IReadOnlyList<string> Missing => missing;

    /// <summary>What the statement was prepared as; null when it was not. Several commands may hold the same one.</summary>
    public PreparedStatement? Prepared
    {
        get => _prepared;
        set
        {
            if (ReferenceEquals(_prepared, value))
                return;
            if (_prepared is not null)
                _prepared.Holders--;
            if (value is not null)
                value.Holders++;
            _prepared = value;
        }
    }

    /// <summary>The types to announce; right after <see cref="Bind"/>.</summary>
    public ReadOnlySpan<uint> Types => _types;

    /// <summary>Finds types and codecs for the values as they are now.</summary>
    public void Bind()
    {
        for (var i = 0; i < map.Length; i++)
        {
            var parameter = parameters[map[i]];
            parameter.Bind(map[i]);
            _types[i] = parameter.BoundOid;
        }
    }

    /// <summary>For preparation: a parameter without a value needs no more than a type.</summary>
    public void BindTypes()
    {
        for (var i = 0; i < map.Length; i++)
        {
            var parameter = parameters[map[i]];
            if (!parameter.TryBindType())
                parameter.Bind(map[i]);
            _types[i] = parameter.BoundOid;
        }
    }

    /// <summary>Whether <paramref name="statement"/> was prepared for these types.</summary>
    public bool Fits(PreparedStatement statement) => statement.IsValid && _types.AsSpan().SequenceEqual(statement.AskedTypes);

    FormatCode IParameterValues.Format(int index) => parameters[map[index]].BoundFormat;

    void IParameterValues.Write(int index, MessageWriter writer) => parameters[map[index]].Write(writer, map[index]);
}
