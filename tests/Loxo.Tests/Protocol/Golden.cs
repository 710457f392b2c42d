using System.Buffers.Binary;
using System.Text;

namespace Loxo.Tests.Protocol;

/// <summary>Messages written out by hand: a char is a byte, an int four, a short two, a text is zero-terminated, bytes are themselves.</summary>
internal static class Golden
{
    public static byte[] Bytes(params object[] parts)
    {
        var bytes = new List<byte>();
        foreach (var part in parts)
            bytes.AddRange(Of(part));
        return [.. bytes];
    }

    private static byte[] Of(object part)
    {
        var four = new byte[4];
        switch (part)
        {
            case char letter:
                return [(byte)letter];
            case byte one:
                return [one];
            case short two:
                BinaryPrimitives.WriteInt16BigEndian(four, two);
                return four[..2];
            case int number:
                BinaryPrimitives.WriteInt32BigEndian(four, number);
                return four;
            case string text:
                return [.. Encoding.UTF8.GetBytes(text), 0];
            case byte[] bytes:
                return bytes;
            default:
                throw new ArgumentException($"No golden form for {part.GetType()}.");
        }
    }
}
