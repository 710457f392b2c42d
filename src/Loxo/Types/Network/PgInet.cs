using System.Net;

namespace Loxo;

/// <summary>
/// A value of PostgreSQL's type <c>inet</c>: the address of a host and how many of its bits name its network. <see cref="IPAddress"/>
/// serves for addresses without a network.
/// </summary>
public readonly record struct PgInet : ISpanParsable<PgInet>
{
    private const string Example = "192.168.0.1/24";

    private readonly IPAddress? _address;

    /// <summary>An address and its network.</summary>
    /// <param name="address">An IPv4 or IPv6 address; <c>inet</c> keeps no scope of an IPv6 address.</param>
    /// <param name="netmask">Bits of the network: 0 to 32, or to 128 for IPv6.</param>
    /// <exception cref="ArgumentNullException"><paramref name="address"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="netmask"/> has more bits than the address.</exception>
    public PgInet(IPAddress address, byte netmask)
    {
        ArgumentNullException.ThrowIfNull(address);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(netmask, AddressText.BitsOf(address));
        _address = address;
        Netmask = netmask;
    }

    /// <summary>The address of a host, without a network: the netmask has all bits.</summary>
    /// <exception cref="ArgumentNullException"><paramref name="address"/> is null.</exception>
    public PgInet(IPAddress address)
        : this(address ?? throw new ArgumentNullException(nameof(address)), (byte)AddressText.BitsOf(address))
    {
    }

    /// <summary>An address as the server shows it, with or without a netmask.</summary>
    /// <exception cref="FormatException">The text is none.</exception>
    public PgInet(string addr) => this = Parse(addr);

    /// <summary>The address; 0.0.0.0 in the struct's default value.</summary>
    public IPAddress Address => _address ?? IPAddress.Any;

    /// <summary>Bits of the network: 0 to 32, or to 128 for IPv6. All of them for a host.</summary>
    public byte Netmask { get; }

    /// <summary>Whether the netmask has all bits, so that <see cref="Address"/> says everything.</summary>
    public bool IsHost => Netmask == AddressText.BitsOf(Address);

    /// <summary>An address without a network.</summary>
    /// <exception cref="ArgumentNullException"><paramref name="address"/> is null.</exception>
    public static implicit operator PgInet(IPAddress address) => new(address);

    /// <summary>The network, with its first address.</summary>
    public static implicit operator PgInet(IPNetwork network) => new(network.BaseAddress, (byte)network.PrefixLength);

    /// <summary>The address without its network.</summary>
    public static explicit operator IPAddress(PgInet inet) => inet.Address;

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgInet)"/>
    /// <exception cref="FormatException">The text is neither.</exception>
    public static PgInet Parse(string s, IFormatProvider? provider = null) => ValueFormat.Parse<PgInet>(s, Example);

    /// <inheritdoc cref="Parse(string, IFormatProvider?)"/>
    public static PgInet Parse(ReadOnlySpan<char> s, IFormatProvider? provider = null) => ValueFormat.Parse<PgInet>(s, Example);

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgInet)"/>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out PgInet result) =>
        TryParse(s.AsSpan(), provider, out result);

    /// <summary>
    /// Reads an address as the server does: <c>192.168.0.1/24</c>, <c>10.1/16</c>, or <c>::1</c> for a host. Slips that the server
    /// overlooks are refused: a point at the end of an IPv4 address, a single colon at the end of an IPv6 address, and an IPv4 address with
    /// missing numbers at the end of an IPv6 address.
    /// </summary>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, out PgInet result)
    {
        var isInet = AddressParser.TryParse(s, isCidr: false, out var address, out var bits);
        result = isInet ? new PgInet(address, bits) : default;
        return isInet;
    }

    /// <summary>Takes it apart.</summary>
    public void Deconstruct(out IPAddress address, out byte netmask) => (address, netmask) = (Address, Netmask);

    /// <summary>Whether address and netmask are the same.</summary>
    public bool Equals(PgInet other) => Netmask == other.Netmask && Address.Equals(other.Address);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Address, Netmask);

    /// <summary>The address as the server shows it: <c>192.168.0.1/24</c>, without the netmask if it has all bits.</summary>
    public override string ToString() => IsHost ? AddressText.Show(Address) : $"{AddressText.Show(Address)}/{Netmask}";
}
