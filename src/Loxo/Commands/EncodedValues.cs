using Loxo.Protocol;
using Loxo.Session;

namespace Loxo.Commands;

/// <summary>The values of a statement, encoded before the session that is to run it has been locked.</summary>
internal sealed class EncodedValues : IParameterValues
{
    private const int InitialSize = 256;

    private readonly MessageWriter _values = new(InitialSize);
    private FormatCode[] _formats = [];
    private int[] _ends = [];
    private uint[] _types = [];

    public int Count { get; private set; }

    /// <summary>The types of the values.</summary>
    public ReadOnlySpan<uint> Types => _types.AsSpan(0, Count);

    /// <summary>Encodes the values of a statement that has been bound. False if one of them is a stream.</summary>
    public bool TryEncode<T>(T values, ReadOnlySpan<uint> types)
        where T : IParameterValues
    {
        _values.Clear();
        Count = values.Count;
        if (_ends.Length < Count)
            (_formats, _ends, _types) = (new FormatCode[Count], new int[Count], new uint[Count]);
        types.CopyTo(_types);
        for (var i = 0; i < Count; i++)
        {
            _formats[i] = values.Format(i);
            values.Write(i, _values);
            _ends[i] = _values.PendingLength;
        }
        return _values.Sources.Length == 0;
    }

    /// <summary>Forgets the values, and gives the memory of large ones back.</summary>
    public void Clear()
    {
        _values.Clear();
        _values.Shrink();
    }

    public FormatCode Format(int index) => _formats[index];

    public void Write(int index, MessageWriter writer)
    {
        var start = index == 0 ? 0 : _ends[index - 1];
        writer.MakeRoom(_ends[index] - start);
        writer.WriteBytes(_values.Pending[start.._ends[index]]);
    }
}
