using System.Buffers.Text;
using System.Security.Cryptography;

namespace Loxo.Protocol.Authentication;

/// <summary>The client's side of one SCRAM-SHA-256 login (RFC 5802 and 7677): ClientFirst, ClientFinal, VerifyServerFinal.</summary>
internal sealed class ScramSha256(string password, ScramBinding binding, ScramKeyCache cache)
{
    private ScramServerFirst? _serverFirst;
    private ScramKeys? _keys;
    private byte[]? _authMessage;

    /// <summary>The keys to log in with instead of the password; null, the default, to derive them from it.</summary>
    public ScramKeys? Keys { private get; init; }

    /// <summary>Random; set by tests only.</summary>
    public string Nonce { get; init; } = NewNonce();

    /// <summary>Empty, as libpq sends it: PostgreSQL goes by the startup message's user. Set by tests of the RFC's examples only.</summary>
    public string User { get; init; } = "";

    /// <summary>Whether the server has proved that it knows the password. AuthenticationOk before that must not be believed.</summary>
    public bool IsVerified { get; private set; }

    private string ClientFirstBare => $"n={User},r={Nonce}";

    /// <summary>The message for SASLInitialResponse, together with the binding's mechanism.</summary>
    public byte[] ClientFirst() => Encoding.ASCII.GetBytes(binding.Header + ClientFirstBare);

    /// <summary>The message for SASLResponse.</summary>
    public byte[] ClientFinal(ReadOnlySpan<byte> serverFirst)
    {
        if (_serverFirst is not null)
            throw AuthenticationErrors.OutOfOrder("AuthenticationSASLContinue again", "AuthenticationSASLFinal");
        _serverFirst = ScramServerFirst.Parse(serverFirst, Nonce);
        _keys = Keys;
        if (_keys is null && !cache.TryGet(password, _serverFirst.Salt, _serverFirst.Iterations, out _keys))
            _keys = ScramKeys.Derive(password, _serverFirst.Salt, _serverFirst.Iterations);

        byte[] bindingData = [.. Encoding.ASCII.GetBytes(binding.Header), .. binding.Data];
        var withoutProof = $"c={Convert.ToBase64String(bindingData)},r={_serverFirst.Nonce}";
        _authMessage = Encoding.ASCII.GetBytes($"{ClientFirstBare},{Encoding.ASCII.GetString(serverFirst)},{withoutProof}");
        return Encoding.ASCII.GetBytes($"{withoutProof},p={Convert.ToBase64String(_keys.Proof(_authMessage))}");
    }

    public void VerifyServerFinal(ReadOnlySpan<byte> serverFinal)
    {
        if (_serverFirst is null || _keys is null || IsVerified)
            throw AuthenticationErrors.OutOfOrder("AuthenticationSASLFinal",
                IsVerified ? "AuthenticationOk" : "AuthenticationSASLContinue");
        var attributes = new ScramAttributes(serverFinal, "final");
        var value = attributes.Read('v', "server signature");
        attributes.SkipExtensions();

        var signature = new byte[SHA256.HashSizeInBytes];
        if (!Base64.IsValid(value, out var length) || length != signature.Length)
            throw attributes.Malformed("the server signature ('v=') is not base64 of 32 bytes");
        Base64.DecodeFromUtf8(value, signature, out _, out _);
        if (!CryptographicOperations.FixedTimeEquals(signature, _keys.ServerSignature(_authMessage)))
            throw AuthenticationErrors.WrongServerSignature();

        IsVerified = true;
        if (Keys is null)
            cache.Add(password, _serverFirst.Salt, _serverFirst.Iterations, _keys);
    }

    // As many bytes as libpq takes (SCRAM_RAW_NONCE_LEN).
    private static string NewNonce() => Convert.ToBase64String(RandomNumberGenerator.GetBytes(18));
}
