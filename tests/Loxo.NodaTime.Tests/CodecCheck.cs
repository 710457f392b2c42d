namespace Loxo.Noda.Tests;

/// <summary>Runs the package's codecs without a server.</summary>
internal static class CodecCheck
{
    public static string Write<T>(Codec<T> codec, T value)
    {
        var writer = new MessageWriter();
        codec.Write(writer, value);
        return Convert.ToHexStringLower(writer.Pending);
    }

    public static T Read<T>(Codec<T> codec, string hex) => codec.Read(Convert.FromHexString(hex));

    /// <summary>The value becomes these bytes and these bytes the value; no part of the bytes is taken for a value, nor the bytes and one more.</summary>
    public static void BothWays<T>(Codec<T> codec, T value, string hex)
    {
        Assert.That(Write(codec, value), Is.EqualTo(hex), "written");
        Assert.That(Read(codec, hex), Is.EqualTo(value), "read");
        var bytes = Convert.FromHexString(hex);
        for (var length = 0; length < bytes.Length; length++)
            Assert.That(() => codec.Read(bytes.AsSpan(0, length)), Throws.TypeOf<PgException>(), $"{length} bytes");
        Assert.That(() => codec.Read([.. bytes, 0]), Throws.TypeOf<PgException>(), "one byte more");
    }
}
