using Loxo.Protocol.Backend;

namespace Loxo.Protocol;

/// <summary>The versions of the protocol that may be spoken: major version times 65536 plus minor version.</summary>
/// <param name="Oldest">The oldest.</param>
/// <param name="Newest">The newest, which the startup message asks for.</param>
internal sealed record ProtocolVersions(int Oldest, int Newest)
{
    public const int V30 = 3 << 16;

    /// <summary>PostgreSQL 18 and later: cancel keys of up to 256 bytes.</summary>
    public const int V32 = V30 | 2;

    /// <summary>The server speaks an older version, which goes on unless it is too old.</summary>
    /// <exception cref="PgException">It is, or there was nothing to negotiate.</exception>
    public void Negotiated(NegotiateProtocolVersion answer)
    {
        // No option is sent, so none can be unknown; 3.1 has never been a version.
        if (answer.Newest < V30 || answer.Newest >= Newest || answer.Newest == V30 + 1 || answer.Options != 0)
            throw ProtocolErrors.UnusableNegotiation(Name(answer.Newest), Name(Newest), answer.Options);
        if (answer.Newest < Oldest)
            throw ProtocolErrors.VersionTooOld(Name(answer.Newest), Name(Oldest));
    }

    private static string Name(int version) => string.Create(CultureInfo.InvariantCulture, $"{version >> 16}.{version & 0xFFFF}");
}
