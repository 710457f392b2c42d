using System.Collections;
using System.Collections.Specialized;
using System.Net;
using System.Net.NetworkInformation;
using System.Numerics;

namespace Loxo.Types;

/// <summary>Bounds of ranges in the order of the server's types, where .NET's types have another or none.</summary>
internal static class BoundOrder
{
    /// <summary>Whether the server takes two bounds for the same value.</summary>
    public static bool AreEqual<T>(T lower, T upper) =>
        EqualityComparer<T>.Default.Equals(lower, upper)
        || (lower is PgInterval span && upper is PgInterval other && span.Length == other.Length)
        || (lower is byte[] or BitArray && Compare(lower, upper!) == 0);

    /// <summary>
    /// Less than 0, 0 or more, as lower is before, equal to or behind upper. Null where only the server can tell: texts have its
    /// collations, and JSON, arrays and the like an order that .NET's types lack.
    /// </summary>
    public static int? Compare(object lower, object upper) => (lower, upper) switch
    {
        (string or char, _) => null,
        (double a, double b) when double.IsNaN(a) || double.IsNaN(b) => double.IsNaN(a).CompareTo(double.IsNaN(b)), // NaN is last
        (float a, float b) when float.IsNaN(a) || float.IsNaN(b) => float.IsNaN(a).CompareTo(float.IsNaN(b)),
        (IComparable a, _) => a.CompareTo(upper),
        (PgInterval a, PgInterval b) => a.Length.CompareTo(b.Length),
        (PgTid a, PgTid b) => (a.BlockNumber, a.OffsetNumber).CompareTo((b.BlockNumber, b.OffsetNumber)),
        (byte[] a, byte[] b) => a.AsSpan().SequenceCompareTo(b),
        (PhysicalAddress a, PhysicalAddress b) => a.GetAddressBytes().AsSpan().SequenceCompareTo(b.GetAddressBytes()),
        (BitArray a, BitArray b) => Compare(a, b),
        (BitVector32 a, BitVector32 b) => ((uint)a.Data).CompareTo((uint)b.Data),
        (IPAddress a, IPAddress b) => Compare(new PgInet(a), new PgInet(b)),
        (IPNetwork a, IPNetwork b) => Compare((PgInet)a, (PgInet)b),
        (PgInet a, PgInet b) => Compare(a, b),
        (PgCidr a, PgCidr b) => Compare((PgInet)a, (PgInet)b),
        _ => null,
    };

    // The first bit that differs decides, then the length (bit_cmp, varbit.c).
    private static int Compare(BitArray lower, BitArray upper)
    {
        for (var i = 0; i < Math.Min(lower.Length, upper.Length); i++)
        {
            if (lower[i] != upper[i])
                return lower[i].CompareTo(upper[i]);
        }
        return lower.Length.CompareTo(upper.Length);
    }

    // IPv4 first, then by the bits of both networks, the length of the netmask and the whole address (network_cmp_internal, network.c).
    private static int Compare(PgInet lower, PgInet upper)
    {
        var isIPv6 = AddressText.IsIPv6(lower.Address);
        if (isIPv6 != AddressText.IsIPv6(upper.Address))
            return isIPv6 ? 1 : -1;
        var bits = new BigInteger(lower.Address.GetAddressBytes(), isUnsigned: true, isBigEndian: true);
        var otherBits = new BigInteger(upper.Address.GetAddressBytes(), isUnsigned: true, isBigEndian: true);
        var hostBits = AddressText.BitsOf(lower.Address) - Math.Min(lower.Netmask, upper.Netmask);
        return (bits >> hostBits, lower.Netmask, bits).CompareTo((otherBits >> hostBits, upper.Netmask, otherBits));
    }
}
