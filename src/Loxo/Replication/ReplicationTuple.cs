using System.Buffers.Binary;

namespace Loxo;

/// <summary>A row, or what is known of it. It can be read any number of times, in any order, and kept.</summary>
public sealed class ReplicationTuple : IAsyncEnumerable<ReplicationValue>
{
    private readonly RelationMessage _relation;
    private readonly byte[] _data;

    /// <param name="relation">The table.</param>
    /// <param name="data">Its columns as TupleData has them, behind their count; whole.</param>
    internal ReplicationTuple(RelationMessage relation, ReadOnlySpan<byte> data) => (_relation, _data) = (relation, data.ToArray());

    /// <summary>The number of columns.</summary>
    public ushort NumColumns => (ushort)_relation.Columns.Count;

    /// <summary>The value of a column.</summary>
    /// <param name="index">Its number, from 0.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such column.</exception>
    public ReplicationValue this[int index]
    {
        get
        {
            if ((uint)index >= (uint)NumColumns)
                throw new ArgumentOutOfRangeException(nameof(index), index, $"The table has {NumColumns} columns, counted from 0.");
            var at = 0;
            for (var i = 0; i < index; i++)
                Next(i, ref at);
            return Next(index, ref at);
        }
    }

    /// <summary>The value of a column.</summary>
    /// <param name="name">Its name.</param>
    /// <exception cref="ArgumentException">There is no such column.</exception>
    public ReplicationValue this[string name]
    {
        get
        {
            for (var i = 0; i < NumColumns; i++)
            {
                if (_relation.Columns[i].ColumnName == name)
                    return this[i];
            }
            throw new ArgumentException($"Table '{_relation.RelationName}' has no column '{name}'.", nameof(name));
        }
    }

    /// <summary>The values in order, for <c>foreach</c>.</summary>
    public IEnumerator<ReplicationValue> GetEnumerator()
    {
        var at = 0;
        for (var i = 0; i < NumColumns; i++)
            yield return Next(i, ref at);
    }

    /// <summary>The values in order. Nothing has to be waited for.</summary>
    public IAsyncEnumerator<ReplicationValue> GetAsyncEnumerator(CancellationToken cancellationToken = default) => new Values(this);

    internal RelationMessage Relation => _relation;

    internal ReadOnlySpan<byte> Bytes(int start, int length) => _data.AsSpan(start, length);

    private ReplicationValue Next(int ordinal, ref int at)
    {
        var kind = (TupleDataKind)_data[at++];
        var length = 0;
        if (kind is TupleDataKind.TextValue or TupleDataKind.BinaryValue)
        {
            length = BinaryPrimitives.ReadInt32BigEndian(_data.AsSpan(at));
            at += sizeof(int);
        }
        var value = new ReplicationValue(this, ordinal, kind, at, length);
        at += length;
        return value;
    }

    private sealed class Values(ReplicationTuple tuple) : IAsyncEnumerator<ReplicationValue>
    {
        private int _next;
        private int _at;

        public ReplicationValue Current { get; private set; }

        public ValueTask<bool> MoveNextAsync()
        {
            if (_next == tuple.NumColumns)
                return new(false);
            Current = tuple.Next(_next++, ref _at);
            return new(true);
        }

        public ValueTask DisposeAsync() => default;
    }
}
