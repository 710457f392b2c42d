using System.Globalization;
using System.Net;

namespace Loxo.Types.TextFormat;

/// <summary>
/// inet and cidr: family, bits of the network, whether it is a cidr, bytes of the address, the address (network_send, network.c).
/// </summary>
internal sealed class NetworkRendering(string type) : TextRendering
{
    private const byte IPv4 = 2;
    private const byte IPv6 = 3;

    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var scanner = new BinaryScanner(binary, type);
        var family = scanner.TakeByte();
        var bits = scanner.TakeByte();
        var isCidr = scanner.TakeByte() != 0;
        var length = scanner.TakeByte();
        if (!(family == IPv4 && length == 4) && !(family == IPv6 && length == 16))
            throw scanner.Malformed("its address family is unknown");
        var address = new IPAddress(scanner.Take(length)).ToString();
        scanner.End();
        return !isCidr && bits == length * 8 ? address : string.Create(CultureInfo.InvariantCulture, $"{address}/{bits}");
    }
}

/// <summary>macaddr and macaddr8: the bytes.</summary>
internal sealed class MacAddressRendering(string type, int length) : TextRendering
{
    public override string ToText(ReadOnlySpan<byte> binary)
    {
        FixedBytes.Exactly(length, binary, type);
        var parts = new string[length];
        for (var i = 0; i < length; i++)
            parts[i] = binary[i].ToString("x2", CultureInfo.InvariantCulture);
        return string.Join(':', parts);
    }
}
