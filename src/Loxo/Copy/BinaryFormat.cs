namespace Loxo.Copy;

/// <summary>The constants of COPY's binary format (manual, COPY, "Binary Format").</summary>
internal static class BinaryFormat
{
    /// <summary>Stands in place of the number of columns behind the last row.</summary>
    public const short Trailer = -1;

    /// <summary>The bytes that the data begin with.</summary>
    public static ReadOnlySpan<byte> Signature => [0x50, 0x47, 0x43, 0x4f, 0x50, 0x59, 0x0a, 0xff, 0x0d, 0x0a, 0x00];
}
