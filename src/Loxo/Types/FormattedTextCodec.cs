namespace Loxo.Types;

/// <summary>A value as the server's text, for types that have a .NET type of their own but are read as strings too.</summary>
internal sealed class FormattedTextCodec(string type, TextFormat format) : ReferenceCodec<string>
{
    private const int ScratchSize = 64;
    private const int ShownLength = 40;

    public override string Read(ReadOnlySpan<byte> value) => format.ToText(value);

    public override void Write(MessageWriter writer, string value)
    {
        var text = new MessageWriter(ScratchSize);
        Utf8.Write(text, value);
        try
        {
            format.WriteBinary(writer, text.Pending);
        }
        catch (PgException)
        {
            throw TypeErrors.NoForm(
                $"The text '{(value.Length <= ShownLength ? value : value[..ShownLength] + "...")}'", $"a value of PostgreSQL type {type}",
                "Write it as the server shows such values, or send it as text and cast it in SQL");
        }
    }
}

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
