using Loxo.Protocol.Frontend;
using Loxo.Types;

namespace Loxo.Session;

/// <summary>
/// Stands for the codec that is missing where a value has come in binary all the same: it refuses, rather than take bytes for text.
/// </summary>
internal sealed class UnreadableCodec : ReferenceCodec<string>
{
    public static readonly UnreadableCodec Instance = new();

    private UnreadableCodec()
    {
    }

    public override string Read(ReadOnlySpan<byte> value) => throw new InvalidCastException(
        "it arrived in binary format, for which its type has no codec, and could not be converted to text. "
        + "Run the same text again, call Prepare() first, or cast the column to text in SQL.");

    public override void Write(MessageWriter writer, string value) => throw new NotSupportedException("Results are only read.");
}
