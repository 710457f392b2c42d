using Loxo.Protocol.Frontend;
using Loxo.Types;

namespace Loxo.Session;

/// <summary>
/// Throws for a value that has arrived in binary format although its type has no binary codec.
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
