using Loxo.Protocol.Frontend;

namespace Loxo.Types;

/// <summary>
/// Reads, as text, a type that has no codec of its own, and records. Such a type is exchanged in text format as soon as it is known that it
/// comes, but a statement that runs for the first time asks for binary before anybody knows its columns.
/// </summary>
internal sealed class ReadOnlyTextCodec(string type, TextFormatter rendering) : Codec<string>
{
    public override string Read(ReadOnlySpan<byte> value) => rendering.ToText(value);

    public override void Write(MessageWriter writer, string value) =>
        throw new PgException($"PostgreSQL type {type} is written in text format only.", PgErrorCode.NotSupported);

    internal override IEnumerable<Codec> ArraysOf(IArrayCodecs arrays) => arrays.Of(this);
}

/// <summary>Types whose binary form is the server's own business.</summary>
internal sealed class NoTextFormatter(string type) : TextFormatter
{
    public override string ToText(ReadOnlySpan<byte> binary) => throw TypeErrors.TextOnly(type);
}
