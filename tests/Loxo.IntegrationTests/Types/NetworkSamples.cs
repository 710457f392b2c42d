using System.Net;
using System.Net.NetworkInformation;

namespace Loxo.IntegrationTests.Types;

/// <summary>Samples of inet, cidr, macaddr and macaddr8.</summary>
public static class NetworkSamples
{
    private static readonly string[] Addresses =
        ["::", "1::", "fe80::1:0:0:1", "1:0:0:2::3", "1:0:2:3:4:5:6:7", "::1.2.3.4", "::ffff:1.2.3.4", "::ffff:0.0.0.1", "::ffff:0:102:304", "fe80::5efe:102:304"];

    public static IEnumerable<TypeSample> All { get; } =
    [
        Reference("inet", "192.168.0.1", IPAddress.Parse("192.168.0.1")), Reference("inet", "127.0.0.1", IPAddress.Loopback),
        .. Addresses.Select(address => Reference("inet", address, IPAddress.Parse(address))),
        .. Addresses.Select(address => Reference("inet", address, address)),
        Value("inet", "192.168.0.1/24", new PgInet(IPAddress.Parse("192.168.0.1"), 24)), Value("inet", "10.0.0.1", new PgInet(IPAddress.Parse("10.0.0.1"))),
        Value("inet", "fe80::1/64", new PgInet(IPAddress.Parse("fe80::1"), 64)), Value("inet", "0.0.0.0/0", default(PgInet)),
        Reference("inet", "192.168.0.1/24", "192.168.0.1/24"),
        Value("cidr", "10.0.0.0/8", IPNetwork.Parse("10.0.0.0/8")), Value("cidr", "2001:db8::/32", IPNetwork.Parse("2001:db8::/32")),
        Value("cidr", "127.0.0.1/32", IPNetwork.Parse("127.0.0.1/32")), Value("cidr", "0.0.0.0/0", default(IPNetwork)),
        Value("cidr", "192.168.0.0/23", PgCidr.Parse("192.168.0.0/23")), Reference("cidr", "10.0.0.0/8", "10.0.0.0/8"),
        Reference("macaddr", "08:00:2b:01:02:03", PhysicalAddress.Parse("08002B010203")), Reference("macaddr", "08:00:2b:01:02:ff", "08:00:2b:01:02:ff"),
        Reference("macaddr8", "08:00:2b:01:02:03:04:05", PhysicalAddress.Parse("08002B0102030405")),
        Reference("macaddr8", "08:00:2b:01:02:03:04:ff", "08:00:2b:01:02:03:04:ff"),
    ];

    private static TypeSample Value<T>(string type, string literal, T value)
        where T : struct => new ValueSample<T>(type, literal, value);

    private static TypeSample Reference<T>(string type, string literal, T value)
        where T : class => new ReferenceSample<T>(type, literal, value);
}
