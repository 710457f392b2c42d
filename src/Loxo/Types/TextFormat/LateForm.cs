namespace Loxo.Types.TextFormat;

/// <summary>A form that can be made only after the type that has it.</summary>
internal sealed class LateForm(Func<TextForm> make) : TextForm
{
    private readonly Lazy<TextForm> _form = new(make);

    public override string ToText(ReadOnlySpan<byte> binary) => _form.Value.ToText(binary);

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text) => _form.Value.WriteBinary(binary, text);
}
