using System.Security.Cryptography;

namespace Loxo.Protocol.Authentication;

internal static class PasswordText
{
    public static byte[] ToUtf8(string password, string method)
    {
        if (password.Length == 0)
            throw AuthenticationErrors.PasswordMissing(method);
        if (password.Contains('\0', StringComparison.Ordinal))
            throw AuthenticationErrors.PasswordUnusable("holds a NUL character (U+0000)");
        try
        {
            return MessageWriter.StrictUtf8.GetBytes(password);
        }
        catch (EncoderFallbackException)
        {
            // Not passed on as the cause: its text shows the character.
            throw AuthenticationErrors.PasswordUnusable("holds half of a surrogate pair, which has no UTF-8 form");
        }
    }
}

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
