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
