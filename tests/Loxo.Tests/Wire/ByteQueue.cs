namespace Loxo.Tests.Wire;

/// <summary>Bytes, first in, first out.</summary>
internal sealed class ByteQueue
{
    private byte[] _bytes = new byte[256];
    private int _start;

    public int Count { get; private set; }

    public void Add(ReadOnlySpan<byte> bytes)
    {
        if (_bytes.Length - _start - Count < bytes.Length)
        {
            var larger = new byte[Math.Max(_bytes.Length, (Count + bytes.Length) * 2)];
            _bytes.AsSpan(_start, Count).CopyTo(larger);
            (_bytes, _start) = (larger, 0);
        }
        bytes.CopyTo(_bytes.AsSpan(_start + Count));
        Count += bytes.Length;
    }

    public int Take(Span<byte> buffer)
    {
        var count = Math.Min(buffer.Length, Count);
        _bytes.AsSpan(_start, count).CopyTo(buffer);
        Count -= count;
        _start = Count == 0 ? 0 : _start + count;
        return count;
    }
}
