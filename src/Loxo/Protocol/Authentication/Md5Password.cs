using System.Security.Cryptography;

namespace Loxo.Protocol.Authentication;

/// <summary>The answer to AuthenticationMD5Password: the server stores the inner hash and sends a salt for the outer one.</summary>
internal static class Md5Password
{
    public static string Response(string user, string password, ReadOnlySpan<byte> salt)
    {
        byte[] passwordAndUser = [.. PasswordText.ToUtf8(password, "MD5"), .. Encoding.UTF8.GetBytes(user)];
        byte[] storedAndSalt = [.. Encoding.ASCII.GetBytes(Hash(passwordAndUser)), .. salt];
        return "md5" + Hash(storedAndSalt);
    }

    private static string Hash(byte[] data) => Convert.ToHexStringLower(MD5.HashData(data));
}
