namespace Loxo.Types;

/// <summary>Takes a value in binary format apart, from left to right. One that ends too early is refused.</summary>
internal ref struct BinaryScanner(ReadOnlySpan<byte> binary, string type)
{
    private ReadOnlySpan<byte> _rest = binary;

    public readonly int Left => _rest.Length;

    public byte TakeByte() => Take(1)[0];

    public ushort TakeUInt16() => BinaryPrimitives.ReadUInt16BigEndian(Take(2));

    public int TakeInt32() => BinaryPrimitives.ReadInt32BigEndian(Take(4));

    public uint TakeUInt32() => BinaryPrimitives.ReadUInt32BigEndian(Take(4));

    public long TakeInt64() => BinaryPrimitives.ReadInt64BigEndian(Take(8));

    public double TakeDouble() => BinaryPrimitives.ReadDoubleBigEndian(Take(8));

    public ReadOnlySpan<byte> Take(int count)
    {
        if ((uint)count > (uint)_rest.Length)
            throw Malformed("it ends too early");
        var taken = _rest[..count];
        _rest = _rest[count..];
        return taken;
    }

    /// <summary>A value behind its length; false for NULL.</summary>
    public bool TryTakeValue(out ReadOnlySpan<byte> value)
    {
        var length = TakeInt32();
        value = length == -1 ? default : Take(length);
        return length != -1;
    }

    public ReadOnlySpan<byte> TakeCString()
    {
        var text = Take(_rest.IndexOf((byte)0) is >= 0 and var length ? length : throw Malformed("a text in it does not end"));
        Take(1);
        return text;
    }

    /// <summary>How many parts follow, none of which takes less than <paramref name="least"/> bytes.</summary>
    public int TakeCount(int least)
    {
        var count = TakeInt32();
        return count >= 0 && count <= _rest.Length / least ? count : throw Malformed("it claims more parts than it has bytes for");
    }

    public readonly void End()
    {
        if (!_rest.IsEmpty)
            throw Malformed("bytes are left over");
    }

    public readonly PgException Malformed(string why) => TypeErrors.Malformed(type, why);
}
