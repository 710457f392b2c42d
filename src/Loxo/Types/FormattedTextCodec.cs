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
