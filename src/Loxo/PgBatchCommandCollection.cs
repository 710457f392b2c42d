using System.Data.Common;

namespace Loxo;

/// <summary>The statements of a <see cref="PgBatch"/>, in order.</summary>
/// <exception cref="ArgumentNullException">Any member that adds or replaces: the statement is null.</exception>
/// <exception cref="InvalidCastException">Any member that adds or replaces: the statement is no <see cref="PgBatchCommand"/>.</exception>
public sealed class PgBatchCommandCollection : DbBatchCommandCollection, IList<PgBatchCommand>
{
    private const int Few = 8;

    private readonly List<PgBatchCommand> _commands = [];

    internal PgBatchCommandCollection()
    {
    }

    /// <inheritdoc cref="DbBatchCommandCollection.Count"/>
    public override int Count => _commands.Count;

    /// <inheritdoc cref="DbBatchCommandCollection.IsReadOnly"/>
    public override bool IsReadOnly => false;

    /// <summary>The statement at a zero-based position.</summary>
    /// <exception cref="IndexOutOfRangeException">There is no such position.</exception>
    public new PgBatchCommand this[int index]
    {
        get => (uint)index < (uint)_commands.Count ? _commands[index] : throw NoPosition(index);
        set
        {
            ArgumentNullException.ThrowIfNull(value);
            if ((uint)index >= (uint)_commands.Count)
                throw NoPosition(index);
            _commands[index] = value;
        }
    }

    internal bool HasOutputs()
    {
        foreach (var command in _commands)
        {
            if (command.HasOutputs)
                return true;
        }
        return false;
    }

    /// <summary>Adds a statement.</summary>
    public void Add(PgBatchCommand item)
    {
        ArgumentNullException.ThrowIfNull(item);
        // A list that grows from 4 to 32 leaves three arrays behind.
        if (_commands.Count is 0 or Few)
            _commands.EnsureCapacity(_commands.Count == 0 ? Few : 4 * Few);
        _commands.Add(item);
    }

    /// <inheritdoc/>
    public override void Add(DbBatchCommand item) => Add(Cast(item));

    /// <inheritdoc cref="DbBatchCommandCollection.Clear"/>
    public override void Clear() => _commands.Clear();

    /// <inheritdoc/>
    public override bool Contains(DbBatchCommand item) => item is PgBatchCommand command && Contains(command);

    /// <inheritdoc/>
    public bool Contains(PgBatchCommand item) => _commands.Contains(item);

    /// <inheritdoc/>
    public override void CopyTo(DbBatchCommand[] array, int arrayIndex) =>
        ((System.Collections.ICollection)_commands).CopyTo(array, arrayIndex);

    /// <inheritdoc/>
    public void CopyTo(PgBatchCommand[] array, int arrayIndex) => _commands.CopyTo(array, arrayIndex);

    /// <inheritdoc/>
    public override IEnumerator<DbBatchCommand> GetEnumerator() => _commands.GetEnumerator();

    IEnumerator<PgBatchCommand> IEnumerable<PgBatchCommand>.GetEnumerator() => _commands.GetEnumerator();

    /// <inheritdoc/>
    public override int IndexOf(DbBatchCommand item) => item is PgBatchCommand command ? IndexOf(command) : -1;

    /// <inheritdoc/>
    public int IndexOf(PgBatchCommand item) => _commands.IndexOf(item);

    /// <inheritdoc/>
    /// <exception cref="ArgumentOutOfRangeException">The position is negative or greater than <see cref="Count"/>.</exception>
    public override void Insert(int index, DbBatchCommand item) => Insert(index, Cast(item));

    /// <inheritdoc/>
    /// <exception cref="ArgumentOutOfRangeException">The position is negative or greater than <see cref="Count"/>.</exception>
    public void Insert(int index, PgBatchCommand item)
    {
        ArgumentNullException.ThrowIfNull(item);
        _commands.Insert(index, item);
    }

    /// <inheritdoc/>
    public override bool Remove(DbBatchCommand item) => item is PgBatchCommand command && Remove(command);

    /// <inheritdoc/>
    public bool Remove(PgBatchCommand item) => _commands.Remove(item);

    /// <inheritdoc cref="DbBatchCommandCollection.RemoveAt"/>
    /// <exception cref="ArgumentOutOfRangeException">There is no such position.</exception>
    public override void RemoveAt(int index) => _commands.RemoveAt(index);

    /// <inheritdoc/>
    protected override DbBatchCommand GetBatchCommand(int index) => this[index];

    /// <inheritdoc/>
    protected override void SetBatchCommand(int index, DbBatchCommand batchCommand) => this[index] = Cast(batchCommand);

    private IndexOutOfRangeException NoPosition(int index) => new(string.Create(CultureInfo.InvariantCulture,
        $"There is no statement at position {index}: the batch has {Count}, counted from 0."));

    private static PgBatchCommand Cast(DbBatchCommand command)
    {
        ArgumentNullException.ThrowIfNull(command);
        return command as PgBatchCommand
            ?? throw new InvalidCastException($"Only {nameof(PgBatchCommand)} can be added, not {command.GetType()}.");
    }
}
