using System.Globalization;

namespace Loxo.Session;

/// <summary>The statements that a session has prepared, by text and parameter types.</summary>
internal sealed class StatementCache
{
    private readonly Dictionary<Key, PreparedStatement> _statements = [];
    private int _lastNumber;

    /// <summary>How many there are.</summary>
    public int Count => _statements.Count;

    /// <summary>The statement of that text and those types, if it was prepared.</summary>
    public PreparedStatement? Find(string sql, ReadOnlySpan<uint> parameterTypes) =>
        _statements.GetValueOrDefault(new Key(sql, parameterTypes.ToArray()));

    /// <summary>Makes a statement with a fresh name; it is not in the cache before <see cref="Add"/>.</summary>
    public PreparedStatement Create(string sql, ReadOnlySpan<uint> parameterTypes) =>
        new("_p" + (++_lastNumber).ToString(CultureInfo.InvariantCulture), sql, parameterTypes.ToArray());

    /// <summary>The server has parsed it under the types that were asked for.</summary>
    public void Add(PreparedStatement statement) => _statements[new Key(statement.Sql, statement.AskedTypes)] = statement;

    /// <summary>The server is told to forget it.</summary>
    public void Remove(PreparedStatement statement)
    {
        statement.IsValid = false;
        _statements.Remove(new Key(statement.Sql, statement.AskedTypes));
    }

    /// <summary>The server has forgotten all of them.</summary>
    public void Clear()
    {
        foreach (var statement in _statements.Values)
            statement.IsValid = false;
        _statements.Clear();
    }

    private readonly struct Key(string sql, uint[] types) : IEquatable<Key>
    {
        private readonly string _sql = sql;
        private readonly uint[] _types = types;

        public bool Equals(Key other) => _sql == other._sql && _types.AsSpan().SequenceEqual(other._types);

        public override bool Equals(object? obj) => obj is Key other && Equals(other);

        public override int GetHashCode() => HashCode.Combine(_sql, _types.Length, _types.Length > 0 ? _types[0] : 0);
    }
}
