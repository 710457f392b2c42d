namespace Loxo.Reading;

internal static class ColumnText
{
    private const int LargestBuffer = 4096;
    private const int SmallestBuffer = 128;

    /// <summary>UTF-8 that refuses what is none, with an exception that says what to do about it.</summary>
    public static Encoding Encoding { get; } = Make();

    /// <summary>As many bytes as a reader of a text of that length should buffer: a reader is made for each value.</summary>
    public static int BufferSize(int length) => Math.Clamp(length, SmallestBuffer, LargestBuffer);

    public static PgException NotUtf8(Exception? cause = null) => new(
        "The server sent text that is not UTF-8, as a database in encoding SQL_ASCII may. Read it as byte[].",
        PgErrorCode.ConversionFailed, cause);

    private static Encoding Make()
    {
        var encoding = (Encoding)new UTF8Encoding(encoderShouldEmitUTF8Identifier: false).Clone();
        encoding.DecoderFallback = new Refusal();
        return encoding;
    }

    private sealed class Refusal : DecoderFallback
    {
        public override int MaxCharCount => 0;

        public override DecoderFallbackBuffer CreateFallbackBuffer() => new RefusalBuffer();
    }

    private sealed class RefusalBuffer : DecoderFallbackBuffer
    {
        public override int Remaining => 0;

        public override bool Fallback(byte[] bytesUnknown, int index) => throw NotUtf8();

        public override char GetNextChar() => '\0';

        public override bool MovePrevious() => false;
    }
}
