using System.Security.Cryptography;

namespace Loxo.Protocol.Authentication;

/// <summary>
/// The answer to AuthenticationMD5Password (manual, "Message Flow"): the server stores the inner hash and sends a salt for the outer one.
/// </summary>
internal static class Md5Password
{
    /// <exception cref="PgException">The password is empty or has no UTF-8 form.</exception>
    public static string Response(string user, string password, ReadOnlySpan<byte> salt)
    {
        byte[] passwordAndUser = [.. PasswordText.ToUtf8(password, "MD5"), .. Encoding.UTF8.GetBytes(user)];
        byte[] storedAndSalt = [.. Encoding.ASCII.GetBytes(Hash(passwordAndUser)), .. salt];
        return "md5" + Hash(storedAndSalt);
    }

    private static string Hash(byte[] data) => Convert.ToHexStringLower(MD5.HashData(data));
}
