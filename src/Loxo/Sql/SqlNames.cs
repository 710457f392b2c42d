using System.Runtime.InteropServices;

namespace Loxo.Sql;

/// <summary>The placeholders of one statement after the other. A name keeps one number within a statement, whatever its case.</summary>
internal sealed class SqlNames(string text)
{
    // Up to here comparing with each name is cheaper than hashing.
    private const int LinearLimit = 8;

    private readonly List<string> _distinct = [];
    private readonly List<SqlPlaceholder> _placeholders = [];
    private Dictionary<string, int>.AlternateLookup<ReadOnlySpan<char>> _index;
    private bool _isIndexed;

    public ReadOnlySpan<string> Distinct => CollectionsMarshal.AsSpan(_distinct);

    public ReadOnlySpan<SqlPlaceholder> Placeholders => CollectionsMarshal.AsSpan(_placeholders);

    public bool HasDollarParameters { get; set; }

    public void Add(SqlToken token, ReadOnlySpan<char> name) =>
        _placeholders.Add(new SqlPlaceholder(token.Start, token.Length, NumberOf(name)));

    public void Clear()
    {
        _distinct.Clear();
        _placeholders.Clear();
        _isIndexed = false;
        HasDollarParameters = false;
    }

    private int NumberOf(ReadOnlySpan<char> name)
    {
        var number = Find(name);
        if (number >= 0)
            return number;
        var spelled = name.ToString();
        _distinct.Add(spelled);
        if (_isIndexed)
            _index.Dictionary.Add(spelled, _distinct.Count - 1);
        else if (_distinct.Count > LinearLimit)
            Index();
        return _distinct.Count - 1;
    }

    private int Find(ReadOnlySpan<char> name)
    {
        if (_isIndexed)
            return _index.TryGetValue(name, out var number) ? number : -1;
        for (var i = 0; i < _distinct.Count; i++)
        {
            if (name.Equals(_distinct[i], StringComparison.OrdinalIgnoreCase))
                return i;
        }
        return -1;
    }

    private void Index()
    {
        // A text with many names has about as many marks. Growing step by step would take several times the memory.
        var marks = Math.Min(ushort.MaxValue, text.AsSpan().Count('@') + text.AsSpan().Count(':'));
        _distinct.EnsureCapacity(marks);
        _placeholders.EnsureCapacity(marks);
        var index = new Dictionary<string, int>(marks, StringComparer.OrdinalIgnoreCase);
        foreach (var name in _distinct)
            index.Add(name, index.Count);
        _index = index.GetAlternateLookup<ReadOnlySpan<char>>();
        _isIndexed = true;
    }
}
