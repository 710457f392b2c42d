namespace Loxo.Types;

/// <summary>Reads records, and types without a codec whose values came in binary before their columns were known, as text.</summary>
internal sealed class ReadOnlyTextCodec(string type, TextFormatter formatter) : Codec<string>
{
    public override string Read(ReadOnlySpan<byte> value) => formatter.ToText(value);

    public override void Write(MessageWriter writer, string value) =>
        throw new PgException($"PostgreSQL type {type} is written in text format only.", PgErrorCode.NotSupported);

    internal override IEnumerable<Codec> ArraysOf(IArrayCodecs arrays) => arrays.Of(this);
}

internal sealed class NoTextFormatter(string type) : TextFormatter
{
    public override string ToText(ReadOnlySpan<byte> binary) => throw TypeErrors.TextOnly(type);
}
