using System.Buffers.Text;

namespace Loxo.Protocol.Authentication;

/// <summary>The server's first message: <c>r=nonce,s=salt,i=iterations</c>.</summary>
internal sealed record ScramServerFirst(string Nonce, byte[] Salt, int Iterations)
{
    /// <summary>A million take a third of a second of CPU, measured; ten million would let a hostile server hold a thread.</summary>
    public const int MostIterations = 1_000_000;

    public static ScramServerFirst Parse(ReadOnlySpan<byte> message, string clientNonce)
    {
        var attributes = new ScramAttributes(message, "first");
        var nonce = Encoding.ASCII.GetString(attributes.Read('r', "nonce"));
        var salt = ParseSalt(attributes.Read('s', "salt"), attributes);
        var iterations = ParseIterations(attributes.Read('i', "iteration count"), attributes);
        attributes.SkipExtensions();

        if (nonce.Length <= clientNonce.Length || !nonce.StartsWith(clientNonce, StringComparison.Ordinal))
            throw AuthenticationErrors.ForeignNonce();
        return new ScramServerFirst(nonce, salt, iterations);
    }

    private static byte[] ParseSalt(ReadOnlySpan<byte> value, ScramAttributes attributes)
    {
        if (value.IsEmpty || !Base64.IsValid(value, out _))
            throw attributes.Malformed("the salt ('s=') is empty or not base64");
        return Convert.FromBase64String(Encoding.ASCII.GetString(value));
    }

    private static int ParseIterations(ReadOnlySpan<byte> value, ScramAttributes attributes)
    {
        const int longestCount = 9;
        if (value.IsEmpty || value[0] == '0' || value.ContainsAnyExceptInRange((byte)'0', (byte)'9'))
            throw attributes.Malformed("the iteration count ('i=') is not a positive number");
        if (value.Length > longestCount)
            throw AuthenticationErrors.TooManyIterations("a billion or more");
        var iterations = int.Parse(value, NumberStyles.None, CultureInfo.InvariantCulture);
        return iterations <= MostIterations
            ? iterations
            : throw AuthenticationErrors.TooManyIterations(iterations.ToString(CultureInfo.InvariantCulture));
    }
}
