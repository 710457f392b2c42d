using System.Net;

namespace Loxo;

/// <summary>
/// A value of PostgreSQL's type <c>cidr</c>: a network. <see cref="IPNetwork"/>, which is the same, is what .NET has for it; this one shows
/// and reads it as the server does.
/// </summary>
public readonly record struct PgCidr : ISpanParsable<PgCidr>
{
    private const string Example = "192.168.0.0/24";

    private readonly PgInet _network;

    /// <summary>A network.</summary>
    /// <param name="address">Its first address, IPv4 or IPv6: no bit may be set that does not name the network.</param>
    /// <param name="netmask">Bits that name it: 0 to 32, or to 128 for IPv6.</param>
    /// <exception cref="ArgumentNullException"><paramref name="address"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="netmask"/> has more bits than the address.</exception>
    /// <exception cref="ArgumentException">The address has bits to the right of the netmask, which the server refuses too.</exception>
    public PgCidr(IPAddress address, byte netmask)
    {
        _network = new PgInet(address, netmask);
        if (!AddressText.IsNetwork(address.GetAddressBytes(), netmask))
            throw new ArgumentException($"The address {address} has bits set to the right of the netmask {netmask}.", nameof(address));
    }

    /// <summary>The same network.</summary>
    public PgCidr(IPNetwork network)
        : this(network.BaseAddress, (byte)network.PrefixLength)
    {
    }

    /// <summary>A network as the server shows it.</summary>
    /// <exception cref="FormatException">The text is none.</exception>
    public PgCidr(string addr) => this = Parse(addr);

    /// <summary>The first address of the network; 0.0.0.0 in the struct's default value.</summary>
    public IPAddress Address => _network.Address;

    /// <summary>Bits that name the network: 0 to 32, or to 128 for IPv6.</summary>
    public byte Netmask => _network.Netmask;

    /// <summary>The network, with its first address.</summary>
    public static implicit operator PgInet(PgCidr cidr) => cidr._network;

    /// <summary>The first address of the network.</summary>
    public static explicit operator IPAddress(PgCidr cidr) => cidr.Address;

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgCidr)"/>
    /// <exception cref="FormatException">The text is not.</exception>
    public static PgCidr Parse(string s, IFormatProvider? provider = null) => ValueFormat.Parse<PgCidr>(s, Example);

    /// <inheritdoc cref="Parse(string, IFormatProvider?)"/>
    public static PgCidr Parse(ReadOnlySpan<char> s, IFormatProvider? provider = null) => ValueFormat.Parse<PgCidr>(s, Example);

    /// <inheritdoc cref="TryParse(ReadOnlySpan{char}, IFormatProvider?, out PgCidr)"/>
    public static bool TryParse([NotNullWhen(true)] string? s, IFormatProvider? provider, out PgCidr result) =>
        TryParse(s.AsSpan(), provider, out result);

    /// <summary>
    /// Reads a network as the server does: <c>192.168.0.0/24</c>, <c>10/8</c>. Without a netmask it has all bits; fewer than four numbers
    /// without one, whose class the server guesses, are not read, nor are hexadecimal addresses. The same slips as by <see cref="PgInet"/>
    /// are refused.
    /// </summary>
    public static bool TryParse(ReadOnlySpan<char> s, IFormatProvider? provider, out PgCidr result)
    {
        var isCidr = AddressParser.TryParse(s, isCidr: true, out var address, out var bits)
            && AddressText.IsNetwork(address.GetAddressBytes(), bits);
        result = isCidr ? new PgCidr(address, bits) : default;
        return isCidr;
    }

    /// <summary>The same network.</summary>
    public IPNetwork ToIPNetwork() => new(Address, Netmask);

    /// <summary>Takes it apart.</summary>
    public void Deconstruct(out IPAddress address, out byte netmask) => (address, netmask) = (Address, Netmask);

    /// <summary>The network as the server shows it: <c>192.168.0.0/24</c>.</summary>
    public override string ToString() => $"{AddressText.Show(Address)}/{Netmask}";
}
