using System.Security.Cryptography;
using System.Text;

namespace Loxo.Tests.Protocol.Authentication;

/// <summary>The server's side of SCRAM-SHA-256, written from RFC 5802 and without the driver's code, to check the client against.</summary>
internal sealed class ScramServer(string preparedPassword, byte[] salt, int iterations)
{
    private string _clientFirst = "";
    private string _serverFirst = "";

    /// <summary>What the client must have hashed in; the server's own view of the connection.</summary>
    public byte[] EndPointHash { get; init; } = [];

    public string ServerNonce { get; init; } = "servernonce";

    public byte[] First(byte[] clientFirst)
    {
        _clientFirst = Encoding.ASCII.GetString(clientFirst);
        var clientNonce = _clientFirst[(_clientFirst.IndexOf(",r=", StringComparison.Ordinal) + 3)..];
        _serverFirst = $"r={clientNonce}{ServerNonce},s={Convert.ToBase64String(salt)},i={iterations}";
        return Encoding.ASCII.GetBytes(_serverFirst);
    }

    /// <summary>The server's final message, or null if the proof or the binding is wrong.</summary>
    public byte[]? Final(byte[] clientFinal)
    {
        var final = Encoding.ASCII.GetString(clientFinal);
        var proofStart = final.IndexOf(",p=", StringComparison.Ordinal);
        var proof = Convert.FromBase64String(final[(proofStart + 3)..]);
        var headerLength = _clientFirst.IndexOf("n=", _clientFirst.IndexOf(',', StringComparison.Ordinal), StringComparison.Ordinal);
        var header = _clientFirst[..headerLength];
        byte[] binding = [.. Encoding.ASCII.GetBytes(header), .. header[0] == 'p' ? EndPointHash : []];
        if (!final.StartsWith($"c={Convert.ToBase64String(binding)},", StringComparison.Ordinal))
            return null;

        var salted = SaltedPassword();
        var authMessage = Encoding.ASCII.GetBytes($"{_clientFirst[headerLength..]},{_serverFirst},{final[..proofStart]}");
        var storedKey = SHA256.HashData(Hmac(salted, "Client Key"u8.ToArray()));
        var clientKey = proof.Zip(Hmac(storedKey, authMessage), (left, right) => (byte)(left ^ right)).ToArray();
        if (!SHA256.HashData(clientKey).SequenceEqual(storedKey))
            return null;
        return Encoding.ASCII.GetBytes($"v={Convert.ToBase64String(Hmac(Hmac(salted, "Server Key"u8.ToArray()), authMessage))}");
    }

    // Hi() of RFC 5802 section 2.2, by its definition.
    private byte[] SaltedPassword()
    {
        var key = Encoding.UTF8.GetBytes(preparedPassword);
        var last = Hmac(key, [.. salt, 0, 0, 0, 1]);
        var sum = last.ToArray();
        for (var i = 1; i < iterations; i++)
        {
            last = Hmac(key, last);
            for (var k = 0; k < sum.Length; k++)
                sum[k] ^= last[k];
        }
        return sum;
    }

    private static byte[] Hmac(byte[] key, byte[] data) => HMACSHA256.HashData(key, data);
}
