namespace Loxo.Parameters;

/// <summary>
/// Positions of parameters by name, so that a command with 65,535 of them is not compared name by name. It follows what happens to single
/// parameters. What it cannot follow it refuses, and is then to be built anew.
/// </summary>
internal sealed class ParameterIndex
{
    /// <summary>Up to this many parameters, comparing each name is cheaper than hashing them all.</summary>
    public const int LinearLimit = 32;

    // A parameter has moved to the front since, by no more than have been removed.
    private readonly Dictionary<string, int> _positions;
    private readonly Dictionary<string, int>.AlternateLookup<ReadOnlySpan<char>> _lookup;
    private bool _hasDuplicates;
    private int _removed;
    private int _steps;

    public ParameterIndex(ReadOnlySpan<PgParameter> parameters)
    {
        _positions = new Dictionary<string, int>(parameters.Length, StringComparer.OrdinalIgnoreCase);
        _lookup = _positions.GetAlternateLookup<ReadOnlySpan<char>>();
        for (var i = 0; i < parameters.Length; i++)
            TryAppend(parameters[i].Name, i);
    }

    /// <summary>Whether searching has taken about as long as building it anew.</summary>
    public bool IsWorn => _steps > _positions.Count;

    /// <summary>Adds the name of the last parameter. Of several parameters of one name, the first is found.</summary>
    public bool TryAppend(ReadOnlySpan<char> name, int position)
    {
        _hasDuplicates |= !_lookup.TryAdd(name, position);
        return !_hasDuplicates || _removed == 0;
    }

    /// <summary>A parameter has another name.</summary>
    public bool TryRename(ReadOnlySpan<char> former, ReadOnlySpan<char> name) =>
        !_hasDuplicates && _lookup.Remove(former, out _, out var position) && _lookup.TryAdd(name, position);

    /// <summary>A parameter has been removed.</summary>
    public bool TryRemove(ReadOnlySpan<char> name)
    {
        _removed++;
        return !_hasDuplicates && _lookup.Remove(name, out _, out _);
    }

    /// <summary>The position of the parameter of that name, or -1.</summary>
    public int Find(ReadOnlySpan<char> name, ReadOnlySpan<PgParameter> parameters)
    {
        if (!_lookup.TryGetValue(name, out var position))
            return -1;
        return _removed == 0 ? position : FindMoved(name, position, parameters);
    }

    private int FindMoved(ReadOnlySpan<char> name, int position, ReadOnlySpan<PgParameter> parameters)
    {
        var now = Math.Min(position, parameters.Length - 1);
        for (; !name.Equals(parameters[now].Name, StringComparison.OrdinalIgnoreCase); now--)
            _steps++;
        if (now != position)
            _lookup[name] = now;
        return now;
    }
}
