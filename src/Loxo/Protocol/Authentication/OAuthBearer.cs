using System.Buffers;
using System.Text;
using System.Text.Json;

namespace Loxo.Protocol.Authentication;

/// <summary>The SASL mechanism OAUTHBEARER (RFC 7628), which PostgreSQL has since version 18: the client sends a bearer token.</summary>
internal static class OAuthBearer
{
    public const string Mechanism = "OAUTHBEARER";

    // RFC 6750 section 2.1; '=' may only stand at the end, which the server checks.
    private static readonly SearchValues<char> _tokenCharacters =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=");

    /// <summary>The answer to the server's reason for a refusal, without which it would not end the login.</summary>
    public static byte[] Acknowledgement { get; } = [1];

    /// <summary>The first message.</summary>
    /// <param name="token">Empty to learn from the server's refusal where tokens come from.</param>
    /// <exception cref="PgException">A token has none but certain ASCII characters.</exception>
    public static byte[] ClientFirst(string token)
    {
        if (token.AsSpan().ContainsAnyExcept(_tokenCharacters))
            throw AuthenticationErrors.TokenUnusable();
        return Encoding.ASCII.GetBytes(token.Length == 0 ? "n,,\u0001auth=\u0001\u0001" : $"n,,\u0001auth=Bearer {token}\u0001\u0001");
    }

    /// <summary>Why the server refuses a token.</summary>
    /// <param name="message">The server's message: JSON.</param>
    /// <exception cref="PgException">It is malformed.</exception>
    public static OAuthRefusal ParseRefusal(ReadOnlySpan<byte> message)
    {
        try
        {
            var reader = new Utf8JsonReader(message);
            using var document = JsonDocument.ParseValue(ref reader);
            var root = document.RootElement;
            return root.ValueKind == JsonValueKind.Object && TextOf(root, "status") is { } status
                ? new(status, TextOf(root, "openid-configuration"), TextOf(root, "scope"))
                : throw AuthenticationErrors.MalformedRefusal("it is no object with a 'status'");
        }
        catch (JsonException e)
        {
            throw AuthenticationErrors.MalformedRefusal(e.Message);
        }
    }

    private static string? TextOf(JsonElement root, string name) =>
        root.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.String ? value.GetString() : null;
}

/// <summary>The server's reason for refusing a token, and where it wants tokens from.</summary>
/// <param name="Status">Such as <c>invalid_token</c>.</param>
/// <param name="DiscoveryUri">The document that describes the issuer; null if the server does not say.</param>
/// <param name="Scope">The scopes that a token needs, with spaces between them; null if the server does not say.</param>
internal sealed record OAuthRefusal(string Status, string? DiscoveryUri, string? Scope);
