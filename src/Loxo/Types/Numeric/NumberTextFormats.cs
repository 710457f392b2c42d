using System.Numerics;

namespace Loxo.Types;

/// <summary>Whole numbers: digits with an optional sign, and blanks around them.</summary>
internal sealed class IntegerTextFormat<T>(string type) : TextFormat
    where T : unmanaged, INumber<T>
{
    private const NumberStyles Style = NumberStyles.AllowLeadingSign | NumberStyles.AllowLeadingWhite | NumberStyles.AllowTrailingWhite;

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        // .NET takes zeros behind a number for its end.
        if (text.Contains((byte)0) || !T.TryParse(text, Style, CultureInfo.InvariantCulture, out var number))
            throw TypeErrors.Malformed(type, text);
        FixedBytes.Write(binary, number);
    }

    public override string ToText(ReadOnlySpan<byte> binary) =>
        FixedBytes.Read<T>(binary, type).ToString(null, CultureInfo.InvariantCulture);
}

internal sealed class FloatTextFormat<T>(string type) : TextFormat
    where T : unmanaged, IBinaryFloatingPointIeee754<T>
{
    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        if (!FloatText.TryParse(Utf8.Read(text), out T number))
            throw TypeErrors.Malformed(type, text);
        FixedBytes.Write(binary, number);
    }

    public override string ToText(ReadOnlySpan<byte> binary) => FloatText.Show(FixedBytes.Read<T>(binary, type));
}

internal sealed class NumericTextFormat : TextFormat
{
    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        try
        {
            NumericText.Write(binary, Utf8.Read(text));
        }
        catch (InvalidCastException)
        {
            throw TypeErrors.Malformed("numeric", text);
        }
    }

    public override string ToText(ReadOnlySpan<byte> binary) => NumericText.ToText(new NumericView(binary));
}
