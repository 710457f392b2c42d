using Loxo.Protocol;

namespace Loxo.Types;

/// <summary>UTF-8, strictly: what is not text on one side is refused instead of replaced.</summary>
internal static class Utf8
{
    public static string Read(ReadOnlySpan<byte> value)
    {
        // Most text is ASCII, and widening it is cheaper than decoding it.
        if (Ascii.IsValid(value))
            return Encoding.Latin1.GetString(value);
        try
        {
            return MessageWriter.StrictUtf8.GetString(value);
        }
        catch (DecoderFallbackException error)
        {
            throw NotUtf8(error);
        }
    }

    public static char[] ReadChars(ReadOnlySpan<byte> value)
    {
        try
        {
            var chars = new char[MessageWriter.StrictUtf8.GetCharCount(value)];
            MessageWriter.StrictUtf8.GetChars(value, chars);
            return chars;
        }
        catch (DecoderFallbackException error)
        {
            throw NotUtf8(error);
        }
    }

    public static void Write(MessageWriter writer, ReadOnlySpan<char> value)
    {
        if (writer.TryWriteAscii(value))
            return;
        if (value.Contains('\0'))
            throw ProtocolErrors.NulInText();
        try
        {
            writer.WriteText(value);
        }
        catch (EncoderFallbackException error)
        {
            throw new PgException(
                "A text that goes to the server holds half of a surrogate pair, which has no form in UTF-8; remove it or use bytea.",
                PgErrorCode.ParameterInvalid, error);
        }
    }

    private static PgException NotUtf8(DecoderFallbackException error) => new(
        "The server sent text that is not UTF-8, as a database in encoding SQL_ASCII may. Read it as byte[].",
        PgErrorCode.ConversionFailed, error);
}
