using System.Buffers.Binary;
using System.Text;

namespace Loxo.Benchmarks.Peers.Floor;

/// <summary>Requests encoded once, by hand (manual, "Message Formats"): what the floor sends.</summary>
internal sealed class FloorMessages
{
    private const int HeadLength = 5;
    private readonly MemoryStream _bytes = new();

    /// <summary>Where the key of the last Bind is.</summary>
    public int KeyPosition { get; private set; }

    /// <summary>The whole request.</summary>
    public byte[] ToArray() => _bytes.ToArray();

    public static byte[] Startup(Target target)
    {
        var body = Encoding.UTF8.GetBytes($"user\0{target.User}\0database\0{target.Database}\0\0");
        var message = new byte[8 + body.Length];
        BinaryPrimitives.WriteInt32BigEndian(message, message.Length);
        BinaryPrimitives.WriteInt32BigEndian(message.AsSpan(4), 3 << 16);
        body.CopyTo(message, 8);
        return message;
    }

    /// <summary>The parameters are int4.</summary>
    public FloorMessages Parse(string name, string sql, int parameters) =>
        Add('P', [.. Text(name), .. Text(sql), 0, (byte)parameters, .. Enumerable.Repeat<byte[]>([0, 0, 0, 23], parameters).SelectMany(type => type)]);

    /// <summary>Binary both ways. The first value is the key, to be filled in; the others are <see cref="TestData.LeastQuantity"/>.</summary>
    public FloorMessages Bind(string name, int parameters)
    {
        byte[] head = [0, .. Text(name), 0, 1, 0, 1, 0, (byte)parameters];
        KeyPosition = (int)_bytes.Length + HeadLength + head.Length + sizeof(int);
        return Add('B', [.. head, .. Enumerable.Repeat<byte[]>([0, 0, 0, 4, 0, 0, 0, TestData.LeastQuantity], parameters).SelectMany(value => value), 0, 1, 0, 1]);
    }

    public FloorMessages Describe() => Add('D', [(byte)'P', 0]);

    public FloorMessages Execute() => Add('E', [0, 0, 0, 0, 0]);

    public FloorMessages Sync() => Add('S', []);

    private static byte[] Text(string text) => Encoding.UTF8.GetBytes(text + "\0");

    private FloorMessages Add(char type, ReadOnlySpan<byte> body)
    {
        Span<byte> head = stackalloc byte[HeadLength];
        head[0] = (byte)type;
        BinaryPrimitives.WriteInt32BigEndian(head[1..], body.Length + 4);
        _bytes.Write(head);
        _bytes.Write(body);
        return this;
    }
}
