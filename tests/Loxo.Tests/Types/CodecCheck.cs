using Loxo.Protocol;
using Loxo.Protocol.Frontend;
using Loxo.Types;

namespace Loxo.Tests.Types;

/// <summary>Runs the codecs of the built-in types against bytes that a real server made (the send functions of PostgreSQL 15).</summary>
internal static class CodecCheck
{
    public static TypeEntry Type(string name) => TypeCatalog.BuiltIn.Find(name) ?? throw new ArgumentException("There is no type " + name);

    public static Codec<T> Codec<T>(string type, FormatCode format = FormatCode.Binary) =>
        Type(type).CodecFor<T>(format) ?? throw new ArgumentException($"{type} has no codec for {typeof(T)}");

    public static T Read<T>(string type, string hex) => Codec<T>(type).Read(Convert.FromHexString(hex));

    public static T ReadText<T>(string type, string text) => Codec<T>(type, FormatCode.Text).Read(System.Text.Encoding.UTF8.GetBytes(text));

    public static string Write<T>(string type, T value) => Write(writer => Codec<T>(type).Write(writer, value));

    public static string Write(Action<MessageWriter> write)
    {
        var writer = new MessageWriter();
        write(writer);
        return Convert.ToHexStringLower(writer.Pending);
    }

    /// <summary>The value becomes these bytes and these bytes the value, also as an object; no part of the bytes is taken for a value.</summary>
    public static void BothWays<T>(string type, T value, string hex)
    {
        Assert.That(Write(type, value), Is.EqualTo(hex), "written");
        Assert.That(Write(writer => Codec<T>(type).WriteObject(writer, value!)), Is.EqualTo(hex), "written as an object");
        Assert.That(Read<T>(type, hex), Is.EqualTo(value), "read");
        Assert.That(Codec<T>(type).ReadObject(Convert.FromHexString(hex)), Is.EqualTo(value), "read as an object");
    }

    /// <summary>Every prefix of a value of which all bytes are needed is refused, and so is the value with a byte more.</summary>
    public static void OnlyWhole<T>(string type, string hex)
    {
        var bytes = Convert.FromHexString(hex);
        for (var length = 0; length < bytes.Length; length++)
            Assert.That(() => Codec<T>(type).Read(bytes.AsSpan(0, length)), Throws.InstanceOf<PgException>(), $"{length} bytes of {hex}");
        Assert.That(() => Codec<T>(type).Read([.. bytes, 0]), Throws.InstanceOf<PgException>(), "one byte more than " + hex);
    }
}
