using System.Security.Cryptography;

namespace Loxo.Protocol.Authentication;

/// <summary>The keys that a login derives from the password, the salt and the number of iterations (RFC 5802 section 3).</summary>
internal sealed class ScramKeys
{
    private ScramKeys(byte[] clientKey, byte[] serverKey) => (ClientKey, ServerKey) = (clientKey, serverKey);

    public byte[] ClientKey { get; }

    public byte[] ServerKey { get; }

    /// <summary>Costly on purpose: milliseconds at PostgreSQL's default of 4,096 iterations.</summary>
    public static ScramKeys Derive(string password, byte[] salt, int iterations)
    {
        var bytes = PasswordText.ToUtf8(SaslPrep.Prepare(password), SaslMechanisms.ScramSha256);
        var salted = Rfc2898DeriveBytes.Pbkdf2(bytes, salt, iterations, HashAlgorithmName.SHA256, SHA256.HashSizeInBytes);
        var keys = new ScramKeys(HMACSHA256.HashData(salted, "Client Key"u8), HMACSHA256.HashData(salted, "Server Key"u8));
        CryptographicOperations.ZeroMemory(bytes);
        CryptographicOperations.ZeroMemory(salted);
        return keys;
    }

    /// <summary>The proof that the client knows the password: its key, masked by a signature that only its holder can take off.</summary>
    public byte[] Proof(ReadOnlySpan<byte> authMessage)
    {
        var proof = HMACSHA256.HashData(SHA256.HashData(ClientKey), authMessage);
        for (var i = 0; i < proof.Length; i++)
            proof[i] ^= ClientKey[i];
        return proof;
    }

    public byte[] ServerSignature(ReadOnlySpan<byte> authMessage) => HMACSHA256.HashData(ServerKey, authMessage);
}
