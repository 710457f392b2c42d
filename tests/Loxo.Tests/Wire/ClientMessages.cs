using System.Buffers.Binary;
using System.Text;

namespace Loxo.Tests.Wire;

/// <summary>A message of the client as the script sees it: read by the test's own rules, not the driver's.</summary>
internal abstract record ClientMessage
{
    private const int Startup30 = 3 << 16, Startup32 = Startup30 + 2;
    private const int CancelCode = 80877102;
    private const int SslCode = 80877103;

    /// <summary>Without a type byte: what comes before the login.</summary>
    public static ClientMessage ReadUntyped(byte[] body)
    {
        var fields = new Fields(body);
        return fields.Int32() switch
        {
            SslCode => new SslRequest(),
            CancelCode => new Cancel(fields.Int32(), fields.Rest()),
            var version and (Startup30 or Startup32) => Startup.Read(version, ref fields),
            var code => throw new AssertionException($"The client began with the unknown code {code}."),
        };
    }

    public static ClientMessage Read(char type, byte[] body)
    {
        var fields = new Fields(body);
        ClientMessage message = type switch
        {
            'p' => new Password(fields.Rest()),
            'Q' => new Query(fields.Text()),
            'P' => new Parse(fields.Text(), fields.Text(), fields.Many(static (ref Fields f) => (uint)f.Int32())),
            'B' => Bind.Read(ref fields),
            'D' => new Describe((char)fields.Byte(), fields.Text()),
            'C' => new Close((char)fields.Byte(), fields.Text()),
            'E' => new Execute(fields.Text(), fields.Int32()),
            'S' => new Sync(),
            'H' => new Flush(),
            'd' => new CopyData(fields.Rest()),
            'c' => new CopyDone(),
            'f' => new CopyFail(fields.Text()),
            'X' => new Terminate(),
            _ => throw new AssertionException($"The client sent a message of unknown type '{type}'."),
        };
        return fields.IsAtEnd ? message : throw new AssertionException($"{message} has bytes behind its end.");
    }

    public delegate T FieldReader<out T>(ref Fields fields);

    public ref struct Fields(ReadOnlySpan<byte> bytes)
    {
        private ReadOnlySpan<byte> _bytes = bytes;

        public readonly bool IsAtEnd => _bytes.IsEmpty;

        public byte Byte() => Bytes(1)[0];

        public short Int16() => BinaryPrimitives.ReadInt16BigEndian(Bytes(2));

        public int Int32() => BinaryPrimitives.ReadInt32BigEndian(Bytes(4));

        public byte[] Rest() => Bytes(_bytes.Length);

        public byte[] Bytes(int count)
        {
            var taken = _bytes[..count].ToArray();
            _bytes = _bytes[count..];
            return taken;
        }

        public string Text()
        {
            var text = Encoding.UTF8.GetString(_bytes[.._bytes.IndexOf((byte)0)]);
            _bytes = _bytes[(_bytes.IndexOf((byte)0) + 1)..];
            return text;
        }

        public T[] Many<T>(FieldReader<T> read)
        {
            var many = new T[(ushort)Int16()];
            for (var i = 0; i < many.Length; i++)
                many[i] = read(ref this);
            return many;
        }
    }
}

internal sealed record SslRequest : ClientMessage;

internal sealed record Cancel(int ProcessId, byte[] Key) : ClientMessage;

internal sealed record Startup(int Version, Dictionary<string, string> Parameters) : ClientMessage
{
    public static Startup Read(int version, ref Fields fields)
    {
        var parameters = new Dictionary<string, string>();
        while (fields.Text() is { Length: > 0 } name)
            parameters.Add(name, fields.Text());
        return new Startup(version, parameters);
    }
}

internal sealed record Password(byte[] Body) : ClientMessage
{
    public string Text => Encoding.UTF8.GetString(Body).TrimEnd('\0');
}

internal sealed record Query(string Sql) : ClientMessage;

internal sealed record Parse(string Statement, string Sql, uint[] Types) : ClientMessage;

internal sealed record Bind(string Portal, string Statement, byte[]?[] Values, short[] ResultFormats) : ClientMessage
{
    public static Bind Read(ref Fields fields)
    {
        var (portal, statement) = (fields.Text(), fields.Text());
        fields.Many(static (ref Fields f) => f.Int16());
        var values = fields.Many(static (ref Fields f) => f.Int32() is >= 0 and var length ? f.Bytes(length) : null);
        return new Bind(portal, statement, values, fields.Many(static (ref Fields f) => f.Int16()));
    }
}

internal sealed record Describe(char Target, string Name) : ClientMessage;

internal sealed record Close(char Target, string Name) : ClientMessage;

internal sealed record Execute(string Portal, int MaxRows) : ClientMessage;

internal sealed record Sync : ClientMessage;

internal sealed record Flush : ClientMessage;

internal sealed record CopyData(byte[] Data) : ClientMessage;

internal sealed record CopyDone : ClientMessage;

internal sealed record CopyFail(string Reason) : ClientMessage;

internal sealed record Terminate : ClientMessage;
