using System.Security.Cryptography;
using System.Text;

namespace Loxo.Tests.Wire;

/// <summary>The server's side of SCRAM-SHA-256 (RFC 5802), to be told to get something wrong.</summary>
internal sealed class ScramServer(ScriptedPeer peer, string password = "secret")
{
    private static readonly byte[] Salt = "salt of the server"u8.ToArray();

    public int Iterations { get; init; } = 4096;

    /// <summary>What is done to the server's proof before it is sent.</summary>
    public Action<byte[]> Spoil { get; init; } = static _ => { };

    /// <summary>Offers the mechanism, checks the client's proof, and sends its own.</summary>
    public void Authenticate()
    {
        peer.Send.Authentication(10, [.. Answer.Text("SCRAM-SHA-256"), 0]);
        var initial = peer.Expect<Password>().Body;
        var mechanismEnd = Array.IndexOf(initial, (byte)0);
        Assert.That(Encoding.UTF8.GetString(initial, 0, mechanismEnd), Is.EqualTo("SCRAM-SHA-256"));
        var clientFirst = Encoding.UTF8.GetString(initial.AsSpan(mechanismEnd + 5));
        Assert.That(clientFirst, Does.StartWith("n,,"));
        var bare = clientFirst["n,,".Length..];
        var nonce = bare[(bare.IndexOf(",r=", StringComparison.Ordinal) + 3)..] + "servernonce";
        var serverFirst = $"r={nonce},s={Convert.ToBase64String(Salt)},i={Iterations}";
        peer.Send.Authentication(11, Encoding.UTF8.GetBytes(serverFirst));
        var clientFinal = Encoding.UTF8.GetString(peer.Expect<Password>().Body);
        var proofAt = clientFinal.LastIndexOf(",p=", StringComparison.Ordinal);
        var message = Encoding.UTF8.GetBytes($"{bare},{serverFirst},{clientFinal[..proofAt]}");
        var salted = Rfc2898DeriveBytes.Pbkdf2(password, Salt, Iterations, HashAlgorithmName.SHA256, 32);
        CheckProof(salted, message, Convert.FromBase64String(clientFinal[(proofAt + 3)..]));
        var signature = HMACSHA256.HashData(HMACSHA256.HashData(salted, "Server Key"u8), message);
        Spoil(signature);
        peer.Send.Authentication(12, Encoding.UTF8.GetBytes("v=" + Convert.ToBase64String(signature)));
    }

    private static void CheckProof(byte[] salted, byte[] message, byte[] proof)
    {
        var clientKey = HMACSHA256.HashData(salted, "Client Key"u8);
        var signature = HMACSHA256.HashData(SHA256.HashData(clientKey), message);
        for (var i = 0; i < signature.Length; i++)
            signature[i] ^= clientKey[i];
        Assert.That(proof, Is.EqualTo(signature), "the client's proof");
    }
}
