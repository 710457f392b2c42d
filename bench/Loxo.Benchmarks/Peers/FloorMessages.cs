using System.Buffers.Binary;
using System.Text;

namespace Loxo.Benchmarks.Peers;

/// <summary>Requests encoded once, by hand (manual, "Message Formats"): what the floor sends.</summary>
internal sealed class FloorMessages
{
    private readonly MemoryStream _bytes = new();

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

    public FloorMessages Parse(string name, string sql, bool keyed) =>
        Add('P', [.. Text(name), .. Text(sql), .. keyed ? new byte[] { 0, 1, 0, 0, 0, 23 } : [0, 0]]);

    /// <summary>Binary both ways; the key stands in front of the last four bytes.</summary>
    public FloorMessages Bind(string name, bool keyed) =>
        Add('B', [0, .. Text(name), 0, 1, 0, 1, .. keyed ? new byte[] { 0, 1, 0, 0, 0, 4, 0, 0, 0, 0 } : [0, 0], 0, 1, 0, 1]);

    public FloorMessages Describe() => Add('D', [(byte)'P', 0]);

    public FloorMessages Execute() => Add('E', [0, 0, 0, 0, 0]);

    public FloorMessages Sync() => Add('S', []);

    /// <summary>Where the key of a request that ends in Bind, [Describe,] Execute, Sync is.</summary>
    public int KeyPosition { get; private set; }

    private static byte[] Text(string text) => Encoding.UTF8.GetBytes(text + "\0");

    private FloorMessages Add(char type, ReadOnlySpan<byte> body)
    {
        Span<byte> head = stackalloc byte[5];
        head[0] = (byte)type;
        BinaryPrimitives.WriteInt32BigEndian(head[1..], body.Length + 4);
        _bytes.Write(head);
        _bytes.Write(body);
        if (type == 'B')
            KeyPosition = (int)_bytes.Length - 8;
        return this;
    }
}
