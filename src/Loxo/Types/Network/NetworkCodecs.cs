using System.Net;
using System.Net.NetworkInformation;

namespace Loxo.Types;

/// <summary>inet and cidr: family, bits of the network, whether it is a cidr, length, address (network_send, network.c).</summary>
internal static class NetworkFormat
{
    private const byte IPv4 = 2; // PGSQL_AF_INET and the one after it, utils/inet.h, whatever the server's system calls them
    private const byte IPv6 = 3;

    public static IPAddress Read(ReadOnlySpan<byte> value, string type, out byte bits)
    {
        var scanner = new BinaryScanner(value, type);
        var family = scanner.TakeByte();
        bits = scanner.TakeByte();
        scanner.TakeByte(); // cidr or not: the type says it
        var length = scanner.TakeByte();
        if (!(family == IPv4 && length == 4) && !(family == IPv6 && length == 16))
            throw scanner.Malformed("its address family is unknown");
        if (bits > 8 * length)
            throw scanner.Malformed("its netmask has more bits than its address");
        var address = scanner.Take(length);
        scanner.End();
        if (type == "cidr" && !AddressText.IsNetwork(address, bits))
            throw scanner.Malformed("it has bits to the right of its netmask");
        return new IPAddress(address);
    }

    public static void Write(MessageWriter writer, IPAddress address, byte bits, bool isCidr)
    {
        var isIPv6 = AddressText.IsIPv6(address);
        if (isIPv6 && address.ScopeId != 0)
        {
            throw TypeErrors.NoForm($"The address {address}, which has a scope,", $"PostgreSQL type {(isCidr ? "cidr" : "inet")}",
                "Make one without: new IPAddress(address.GetAddressBytes())");
        }
        writer.WriteByte(isIPv6 ? IPv6 : IPv4);
        writer.WriteByte(bits);
        writer.WriteByte(isCidr ? (byte)1 : (byte)0);
        var length = isIPv6 ? 16 : 4;
        writer.WriteByte((byte)length);
        address.TryWriteBytes(writer.Reserve(length), out _);
    }
}

internal sealed class InetCodec : ValueCodec<PgInet>
{
    public override PgInet Read(ReadOnlySpan<byte> value) => new(NetworkFormat.Read(value, "inet", out var bits), bits);

    public override void Write(MessageWriter writer, PgInet value) =>
        NetworkFormat.Write(writer, value.Address, value.Netmask, isCidr: false);
}

/// <summary>inet as an address. One with a netmask, which would be lost, is refused; as an object it is a PgInet.</summary>
/// <param name="dropsNetmask">Whether the netmask is dropped instead.</param>
internal sealed class InetAddressCodec(bool dropsNetmask) : Codec<IPAddress>
{
    private static readonly InetCodec WithNetmask = new();

    internal override Type UntypedType => dropsNetmask ? typeof(IPAddress) : typeof(object);

    public override IPAddress Read(ReadOnlySpan<byte> value)
    {
        var address = NetworkFormat.Read(value, "inet", out var bits);
        if (dropsNetmask || bits == AddressText.BitsOf(address))
            return address;
        throw TypeErrors.NoForm(
            string.Create(CultureInfo.InvariantCulture, $"The inet value {AddressText.Show(address)}/{bits}, which has a netmask,"),
            "IPAddress", "Read it as PgInet, or take host(...) of it in SQL");
    }

    public override void Write(MessageWriter writer, IPAddress value) =>
        NetworkFormat.Write(writer, value, (byte)AddressText.BitsOf(value), isCidr: false);

    internal override IEnumerable<Codec> ArraysOf(IArrayCodecs arrays) =>
        arrays.Of(this, wider: dropsNetmask ? null : arrays.Of((Codec<PgInet?>)WithNetmask.Nullable).First());

    internal override IEnumerable<Codec> RangesOf(IRangeCodecs ranges) => ranges.Of(this);

    private protected override object ReadUntyped(ReadOnlySpan<byte> value)
    {
        var inet = WithNetmask.Read(value);
        return dropsNetmask || inet.IsHost ? inet.Address : (object)inet;
    }
}

internal sealed class CidrCodec : ValueCodec<PgCidr>
{
    public override PgCidr Read(ReadOnlySpan<byte> value) => new(NetworkFormat.Read(value, "cidr", out var bits), bits);

    public override void Write(MessageWriter writer, PgCidr value) =>
        NetworkFormat.Write(writer, value.Address, value.Netmask, isCidr: true);
}

internal sealed class CidrNetworkCodec : ValueCodec<IPNetwork>
{
    public override IPNetwork Read(ReadOnlySpan<byte> value) => new(NetworkFormat.Read(value, "cidr", out var bits), bits);

    public override void Write(MessageWriter writer, IPNetwork value) =>
        NetworkFormat.Write(writer, value.BaseAddress, (byte)value.PrefixLength, isCidr: true);
}

/// <summary>macaddr and macaddr8: the bytes.</summary>
internal sealed class MacAddressCodec(string type, int length) : ReferenceCodec<PhysicalAddress>
{
    public override PhysicalAddress Read(ReadOnlySpan<byte> value) => new(FixedBytes.Exactly(length, value, type).ToArray());

    public override void Write(MessageWriter writer, PhysicalAddress value)
    {
        var bytes = value.GetAddressBytes();
        // The server widens an address of 6 bytes by itself (macaddr8_recv, mac8.c).
        if (bytes.Length != length && !(length == 8 && bytes.Length == 6))
        {
            throw TypeErrors.NoForm(
                string.Create(CultureInfo.InvariantCulture, $"The address {value}, which has {bytes.Length} bytes,"),
                    $"PostgreSQL type {type}",
                bytes.Length == 8 ? "Write it as macaddr8" : "Give one of " + (length == 6 ? "6 bytes" : "8 bytes"));
        }
        writer.WriteBytes(bytes);
    }
}

/// <summary>macaddr and macaddr8: two digits a byte, with colons between them (macaddr_out, mac.c); dashes are read too.</summary>
internal sealed class MacAddressTextFormat(string type, int length) : TextFormat
{
    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        text = text.Trim(AsciiBlanks.AllBytes);
        if (text.Length != 3 * length - 1)
            throw TypeErrors.Malformed(type, text);
        for (var i = 0; i < length; i++)
        {
            var isSeparated = i == 0 || (text[3 * i - 1] is (byte)':' or (byte)'-' && text[3 * i - 1] == text[2]);
            if (!isSeparated || !byte.TryParse(text.Slice(3 * i, 2), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture,
                out var part))
                throw TypeErrors.Malformed(type, text);
            binary.WriteByte(part);
        }
    }

    public override string ToText(ReadOnlySpan<byte> binary)
    {
        FixedBytes.Exactly(length, binary, type);
        var parts = new string[length];
        for (var i = 0; i < length; i++)
            parts[i] = binary[i].ToString("x2", CultureInfo.InvariantCulture);
        return string.Join(':', parts);
    }
}
