namespace Loxo.Parameters;

/// <summary>Positions of parameters by name, so that a command with 65,535 of them is not compared name by name.</summary>
internal sealed class ParameterIndex
{
    /// <summary>Up to this many parameters, comparing each name is cheaper than hashing them all.</summary>
    public const int LinearLimit = 32;

    private readonly Dictionary<string, int> _positions;
    private readonly Dictionary<string, int>.AlternateLookup<ReadOnlySpan<char>> _lookup;

    public ParameterIndex(ReadOnlySpan<PgParameter> parameters)
    {
        _positions = new Dictionary<string, int>(parameters.Length, StringComparer.OrdinalIgnoreCase);
        _lookup = _positions.GetAlternateLookup<ReadOnlySpan<char>>();
        for (var i = 0; i < parameters.Length; i++)
            Append(parameters[i].Name, i);
    }

    /// <summary>Adds the name of the last parameter. Of several parameters of one name, the first is found.</summary>
    public void Append(ReadOnlySpan<char> name, int position) => _lookup.TryAdd(name, position);

    public int Find(ReadOnlySpan<char> name) => _lookup.TryGetValue(name, out var position) ? position : -1;
}
