using System.Buffers.Binary;

namespace Loxo.Tests.Types;

/// <summary>Damages values the way that leads furthest into decoders: one length, count or flag is wrong, the rest is as it should be.</summary>
internal sealed class Mutator(Random random)
{
    private static readonly byte[] Bytes = [0, 1, 2, 0x7f, 0x80, 0xff];
    private static readonly int[] Numbers = [0, 1, -1, -2, 2, 3, 6, 7, 255, 65535, int.MaxValue, int.MaxValue - 1, int.MinValue];

    public byte[] Mutate(byte[] golden, byte[] other)
    {
        var bytes = (byte[])golden.Clone();
        for (var count = random.Next(1, 4); count > 0; count--)
            bytes = Once(bytes, other);
        return bytes;
    }

    private byte[] Once(byte[] bytes, byte[] other)
    {
        var at = random.Next(bytes.Length + 1);
        switch (random.Next(9))
        {
            case 0 when at < bytes.Length:
                bytes[at] = (byte)random.Next(256);
                return bytes;
            case 1 when at < bytes.Length:
                bytes[at] = Bytes[random.Next(Bytes.Length)];
                return bytes;
            case 2 when at < bytes.Length:
                bytes[at] ^= (byte)(1 << random.Next(8));
                return bytes;
            case 3 when at + sizeof(int) <= bytes.Length:
                BinaryPrimitives.WriteInt32BigEndian(bytes.AsSpan(at), Numbers[random.Next(Numbers.Length)]);
                return bytes;
            case 4 when at + sizeof(int) <= bytes.Length:
                var number = BinaryPrimitives.ReadInt32BigEndian(bytes.AsSpan(at));
                BinaryPrimitives.WriteInt32BigEndian(bytes.AsSpan(at), unchecked(number + random.Next(-2, 3)));
                return bytes;
            case 5:
                return bytes[..at];
            case 6:
                return [.. bytes[..at], .. bytes[random.Next(at + 1)..]];
            case 7:
                return [.. bytes[..at], .. other[random.Next(other.Length + 1)..]];
            default:
                return [.. bytes, (byte)random.Next(256)];
        }
    }
}
