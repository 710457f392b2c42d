using System.Collections;
using System.ComponentModel;
using System.Data.Common;
using Loxo.Parameters;

namespace Loxo;

/// <summary>The parameters of a command. All of them have names, or none: those without a name are positional (<c>$1</c>).</summary>
/// <exception cref="InvalidOperationException">Any member that adds: the parameter belongs to a collection already.</exception>
/// <exception cref="InvalidCastException">Any member that takes an object: it is no <see cref="PgParameter"/>.</exception>
/// <exception cref="ArgumentException">Any member that makes a parameter: there is no such type or size.</exception>
public sealed class PgParameterCollection : DbParameterCollection, IList<PgParameter>
{
    /// <summary>Of a command that nobody has asked for its parameters. No user ever gets a reference to it.</summary>
    internal static readonly PgParameterCollection None = new();

    private ParameterList _parameters;
    private bool _isReleased;
    // Null while it is not needed, or not up to date.
    private ParameterIndex? _index;

    internal PgParameterCollection()
    {
    }

    /// <inheritdoc cref="DbParameterCollection.Count"/>
    public override int Count => _parameters.Count;

    /// <inheritdoc/>
    public override object SyncRoot => this;

    /// <summary>
    /// Changes whenever a parameter comes, goes, or changes its name or direction, so that what was found by them can be kept.
    /// </summary>
    internal int Version { get; private set; }

    /// <summary>The parameter at a zero-based position.</summary>
    /// <exception cref="IndexOutOfRangeException">There is no such position.</exception>
    public new PgParameter this[int index]
    {
        get => (uint)index < (uint)_parameters.Count ? _parameters[index] : throw ParameterErrors.NoPosition(index, Count);
        set
        {
            if (ReferenceEquals(value, this[index]))
                return;
            var names = Adopt(value);
            var former = _parameters[index];
            former.MoveTo(null);
            _parameters.Set(index, value);
            if (names?.TryRename(former.Name, value.Name) == true)
                _index = names;
        }
    }

    /// <summary>The parameter of that name.</summary>
    /// <exception cref="IndexOutOfRangeException">There is no parameter of that name.</exception>
    public new PgParameter this[string parameterName]
    {
        get => _parameters[Find(parameterName)];
        set => this[Find(parameterName)] = value;
    }

    /// <summary>Adds a parameter.</summary>
    /// <exception cref="InvalidOperationException">It belongs to another collection.</exception>
    public PgParameter Add(PgParameter value)
    {
        var names = Adopt(value);
        _parameters.Insert(_parameters.Count, value);
        // Kept, so that looking for each name before it is added takes no longer.
        if (names?.TryAppend(value.Name, _parameters.Count - 1) == true)
            _index = names;
        return value;
    }

    void ICollection<PgParameter>.Add(PgParameter item) => Add(item);

    /// <summary>Adds a parameter of a PostgreSQL type, to be given a value.</summary>
    public PgParameter Add(string parameterName, PgDbType parameterType) => Add(new PgParameter(parameterName, parameterType));

    /// <summary>Adds a parameter of a PostgreSQL type and size, to be given a value.</summary>
    public PgParameter Add(string parameterName, PgDbType parameterType, int size) =>
        Add(new PgParameter(parameterName, parameterType, size));

    /// <summary>Adds a parameter of a PostgreSQL type, size and source column.</summary>
    public PgParameter Add(string parameterName, PgDbType parameterType, int size, string sourceColumn) =>
        Add(new PgParameter(parameterName, parameterType, size, sourceColumn));

    /// <summary>Adds a parameter with a value, whose type follows from it.</summary>
    public PgParameter AddWithValue(string parameterName, object value) => Add(new PgParameter(parameterName, value));

    /// <summary>Adds a parameter with a type and a value.</summary>
    public PgParameter AddWithValue(string parameterName, PgDbType parameterType, object value) =>
        Add(new PgParameter(parameterName, parameterType) { Value = value });

    /// <summary>Adds a parameter with a type, a size and a value.</summary>
    public PgParameter AddWithValue(string parameterName, PgDbType parameterType, int size, object value) =>
        Add(new PgParameter(parameterName, parameterType, size) { Value = value });

    /// <summary>Adds a parameter with a type, a size, a source column and a value.</summary>
    public PgParameter AddWithValue(string parameterName, PgDbType parameterType, int size, string? sourceColumn, object value) =>
        Add(new PgParameter(parameterName, parameterType, size, sourceColumn) { Value = value });

    /// <summary>Adds a positional parameter with a value.</summary>
    public PgParameter AddWithValue(object value) => Add(new PgParameter { Value = value });

    /// <summary>Adds a positional parameter with a type and a value.</summary>
    public PgParameter AddWithValue(PgDbType parameterType, object value) =>
        Add(new PgParameter { PgDbType = parameterType, Value = value });

    /// <inheritdoc/>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public override int Add(object value)
    {
        Add(Cast(value));
        return Count - 1;
    }

    /// <inheritdoc/>
    /// <exception cref="ArgumentNullException">The array is null.</exception>
    public override void AddRange(Array values)
    {
        ArgumentNullException.ThrowIfNull(values);
        foreach (var value in values)
            Add(Cast(value));
    }

    /// <inheritdoc cref="DbParameterCollection.Clear"/>
    public override void Clear()
    {
        foreach (var parameter in _parameters.Span)
            parameter.MoveTo(null);
        _parameters.Clear();
        NamesChanged();
    }

    /// <inheritdoc/>
    public override bool Contains(object value) => value is PgParameter parameter && Contains(parameter);

    /// <inheritdoc/>
    public override bool Contains(string value) => IndexOf(value) >= 0;

    /// <summary>Whether the parameter is in the collection.</summary>
    public bool Contains(PgParameter item) => IndexOf(item) >= 0;

    /// <summary>Gets the parameter of that name, if there is one.</summary>
    public bool TryGetValue(string parameterName, [NotNullWhen(true)] out PgParameter? parameter)
    {
        var index = IndexOf(parameterName);
        parameter = index < 0 ? null : _parameters[index];
        return parameter is not null;
    }

    /// <inheritdoc/>
    public override void CopyTo(Array array, int index) => ((ICollection)new List<PgParameter>(ToArray())).CopyTo(array, index);

    /// <inheritdoc/>
    public void CopyTo(PgParameter[] array, int arrayIndex) => ToArray().CopyTo(array, arrayIndex);

    /// <summary>The parameters as an array.</summary>
    public PgParameter[] ToArray() => _parameters.Span.ToArray();

    /// <inheritdoc/>
    public override IEnumerator GetEnumerator() => All().GetEnumerator();

    IEnumerator<PgParameter> IEnumerable<PgParameter>.GetEnumerator() => All().GetEnumerator();

    /// <inheritdoc/>
    public override int IndexOf(object value) => value is PgParameter parameter ? IndexOf(parameter) : -1;

    /// <summary>The parameter's position, or -1.</summary>
    public int IndexOf(PgParameter item) => _parameters.IndexOf(item);

    /// <summary>The position of the parameter of that name, or -1. A leading <c>@</c> or <c>:</c> and case do not matter.</summary>
    public override int IndexOf(string parameterName)
    {
        var name = parameterName.AsSpan();
        if (name is ['@' or ':', ..])
            name = name[1..];
        if (_parameters.Count > ParameterIndex.LinearLimit)
            return Index().Find(name, _parameters.Span);
        for (var i = 0; i < _parameters.Count; i++)
        {
            if (name.Equals(_parameters[i].Name, StringComparison.OrdinalIgnoreCase))
                return i;
        }
        return -1;
    }

    /// <inheritdoc/>
    /// <exception cref="ArgumentOutOfRangeException">The position is negative or greater than <see cref="Count"/>.</exception>
    public override void Insert(int index, object value) => Insert(index, Cast(value));

    /// <summary>Inserts a parameter at a zero-based position.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The position is negative or greater than <see cref="Count"/>.</exception>
    public void Insert(int index, PgParameter item)
    {
        // Before the parameter is adopted, so that a refused one stays free.
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)index, (uint)_parameters.Count, nameof(index));
        Adopt(item);
        _parameters.Insert(index, item);
    }

    /// <inheritdoc/>
    public override void Remove(object value) => Remove(Cast(value));

    /// <inheritdoc cref="ICollection{T}.Remove"/>
    public bool Remove(PgParameter item)
    {
        var index = IndexOf(item);
        if (index >= 0)
            RemoveAt(index);
        return index >= 0;
    }

    /// <summary>Removes the parameter of that name.</summary>
    /// <exception cref="IndexOutOfRangeException">There is no parameter of that name.</exception>
    public void Remove(string parameterName) => RemoveAt(Find(parameterName));

    /// <summary>Removes the parameter at a zero-based position.</summary>
    /// <exception cref="ArgumentOutOfRangeException">There is no such position.</exception>
    public override void RemoveAt(int index)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)index, (uint)_parameters.Count, nameof(index));
        var removed = _parameters[index];
        removed.MoveTo(null);
        _parameters.RemoveAt(index);
        Version++;
        if (_index?.TryRemove(removed.Name) == false)
            _index = null;
    }

    /// <inheritdoc/>
    /// <exception cref="IndexOutOfRangeException">There is no parameter of that name.</exception>
    public override void RemoveAt(string parameterName) => RemoveAt(Find(parameterName));

    /// <summary>Whether parameters are positional; with names and without at once is refused.</summary>
    internal bool ArePositional()
    {
        var unnamed = 0;
        foreach (var parameter in _parameters.Span)
            unnamed += parameter.Name.Length == 0 ? 1 : 0;
        if (unnamed != 0 && unnamed != _parameters.Count)
            throw ParameterErrors.Mixed();
        return unnamed != 0;
    }

    internal bool HasOutputs()
    {
        foreach (var parameter in _parameters.Span)
        {
            if (parameter.IsOutput)
                return true;
        }
        return false;
    }

    internal void Redirected() => Version++;

    internal void Renamed(ReadOnlySpan<char> former, ReadOnlySpan<char> name)
    {
        Version++;
        if (_index?.TryRename(former, name) == false)
            _index = null;
    }

    /// <inheritdoc/>
    protected override DbParameter GetParameter(int index) => this[index];

    /// <inheritdoc/>
    protected override DbParameter GetParameter(string parameterName) => this[parameterName];

    /// <inheritdoc/>
    protected override void SetParameter(int index, DbParameter value) => this[index] = Cast(value);

    /// <inheritdoc/>
    protected override void SetParameter(string parameterName, DbParameter value) => this[parameterName] = Cast(value);

    private static PgParameter Cast(object? value) => value as PgParameter
        ?? throw new InvalidCastException($"Only {nameof(PgParameter)} can be added, not {value?.GetType().ToString() ?? "null"}.");

    // Returns the index, for those that can keep it.
    private ParameterIndex? Adopt(PgParameter parameter)
    {
        ArgumentNullException.ThrowIfNull(parameter);
        if (parameter.Collection is { _isReleased: false })
            throw new InvalidOperationException($"The parameter '{parameter.ParameterName}' belongs to a command already; use Clone().");
        parameter.Collection?.Remove(parameter);
        parameter.MoveTo(this);
        var names = _index;
        NamesChanged();
        return names;
    }

    private void NamesChanged()
    {
        Version++;
        _index = null;
    }

    private ParameterIndex Index()
    {
        if (_index is null or { IsWorn: true })
            _index = new ParameterIndex(_parameters.Span);
        return _index;
    }

    /// <summary>The command is disposed: its parameters stay readable, and another command may take them.</summary>
    internal void Release() => _isReleased = true;

    private IEnumerable<PgParameter> All()
    {
        var count = Count;
        for (var i = 0; i < count; i++)
        {
            yield return _parameters[i];
            if (count != Count)
                throw new InvalidOperationException("Parameters came or went while they were enumerated.");
        }
    }

    private int Find(string parameterName) => IndexOf(parameterName) is >= 0 and var index
        ? index
        : throw ParameterErrors.NoName(parameterName);
}
