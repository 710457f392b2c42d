using System.Security.Cryptography;

namespace Loxo.Protocol.Authentication;

/// <summary>The keys that a login derives from the password, the salt and the number of iterations (RFC 5802 section 3).</summary>
internal sealed class ScramKeys(byte[] clientKey, byte[] serverKey)
{
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

    /// <summary>The keys that were given instead of a password.</summary>
    public static ScramKeys Parse(ScramKeySettings settings) =>
        new(Convert.FromBase64String(settings.ClientKey), Convert.FromBase64String(settings.ServerKey));

    /// <summary>The proof that the client knows the password: its key, masked by a signature that only its holder can take off.</summary>
    public byte[] Proof(ReadOnlySpan<byte> authMessage)
    {
        var proof = HMACSHA256.HashData(SHA256.HashData(clientKey), authMessage);
        for (var i = 0; i < proof.Length; i++)
            proof[i] ^= clientKey[i];
        return proof;
    }

    public byte[] ServerSignature(ReadOnlySpan<byte> authMessage) => HMACSHA256.HashData(serverKey, authMessage);
}

/// <summary>Keys of logins that succeeded: deriving them costs time, and the server changes salts with the password only.</summary>
internal sealed class ScramKeyCache
{
    // A cluster's standbys share the primary's salts; this is enough for a rotation of passwords on a handful of hosts.
    private const int Capacity = 16;

    private readonly Lock _lock = new();
    private readonly List<Entry> _newestFirst = [];

    public bool TryGet(string password, byte[] salt, int iterations, [NotNullWhen(true)] out ScramKeys? keys)
    {
        lock (_lock)
            keys = _newestFirst.Find(entry => entry.Matches(password, salt, iterations))?.Keys;
        return keys is not null;
    }

    public void Add(string password, byte[] salt, int iterations, ScramKeys keys)
    {
        lock (_lock)
        {
            _newestFirst.RemoveAll(entry => entry.Matches(password, salt, iterations));
            _newestFirst.Insert(0, new Entry(password, salt, iterations, keys));
            if (_newestFirst.Count > Capacity)
                _newestFirst.RemoveAt(Capacity);
        }
    }

    private sealed class Entry(string password, byte[] salt, int iterations, ScramKeys keys)
    {
        public ScramKeys Keys => keys;

        public bool Matches(string otherPassword, byte[] otherSalt, int otherIterations) =>
            iterations == otherIterations && salt.AsSpan().SequenceEqual(otherSalt) && password == otherPassword;
    }
}
