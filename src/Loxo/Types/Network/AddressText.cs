using System.Net;
using System.Net.Sockets;

namespace Loxo.Types;

/// <summary>Shows addresses as the server does (inet_net_ntop.c), which ends other IPv6 addresses in IPv4 form than .NET.</summary>
internal static class AddressText
{
    public static int BitsOf(IPAddress address) => IsIPv6(address) ? 128 : 32;

    public static bool IsIPv6(IPAddress address) => address.AddressFamily == AddressFamily.InterNetworkV6;

    public static string Show(IPAddress address)
    {
        if (!IsIPv6(address))
            return address.ToString();
        Span<byte> bytes = stackalloc byte[16];
        address.TryWriteBytes(bytes, out _);
        Span<ushort> words = stackalloc ushort[8];
        for (var i = 0; i < words.Length; i++)
            words[i] = BinaryPrimitives.ReadUInt16BigEndian(bytes[(2 * i)..]);
        var zeros = LongestZeros(words, out var count);
        var endsInIPv4 = zeros == 0 && (count == 6 || (count == 5 && words[5] == 0xFFFF));
        var text = new StringBuilder();
        for (var i = 0; i < words.Length; i++)
        {
            if (i >= zeros && i < zeros + count)
            {
                text.Append(i == zeros ? ":" : "");
                continue;
            }
            text.Append(i == 0 ? "" : ":");
            if (i == 6 && endsInIPv4)
                return text.Append(new IPAddress(bytes[12..]).ToString()).ToString();
            text.Append(CultureInfo.InvariantCulture, $"{words[i]:x}");
        }
        return text.Append(zeros + count == words.Length ? ":" : "").ToString();
    }

    /// <summary>Whether no bit is set beyond the first <paramref name="bits"/>, as cidr demands.</summary>
    public static bool IsNetwork(ReadOnlySpan<byte> address, int bits)
    {
        for (var i = 0; i < address.Length; i++)
        {
            var free = Math.Clamp(8 * (i + 1) - bits, 0, 8);
            if ((address[i] & ((1 << free) - 1)) != 0)
                return false;
        }
        return true;
    }

    // The first of the longest runs, if it has more than one word; else a place behind the address.
    private static int LongestZeros(ReadOnlySpan<ushort> words, out int count)
    {
        var start = words.Length + 1;
        count = 1;
        for (var i = 0; i < words.Length; i++)
        {
            var length = words[i..].IndexOfAnyExcept((ushort)0) is >= 0 and var end ? end : words.Length - i;
            if (length <= count)
                continue;
            start = i;
            count = length;
        }
        return start;
    }
}
