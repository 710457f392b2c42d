namespace Loxo.Types.Codecs;

/// <summary>The codecs that every text type shares, and that read any type in text format.</summary>
internal static class TextFamily
{
    public static readonly StringCodec String = new();

    /// <summary>All of them, the default one first.</summary>
    public static readonly Codec[] All = [String];
}
