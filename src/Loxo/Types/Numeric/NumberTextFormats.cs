using System.Numerics;

namespace Loxo.Types;

/// <summary>Whole numbers: digits with an optional sign, and blanks around them.</summary>
internal sealed class IntegerTextFormat<T>(string type, Codec<T> codec) : TextFormat
    where T : struct, INumber<T>
{
    private const NumberStyles Style = NumberStyles.AllowLeadingSign | NumberStyles.AllowLeadingWhite | NumberStyles.AllowTrailingWhite;

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        // .NET takes zeros behind a number for its end.
        if (text.Contains((byte)0) || !T.TryParse(text, Style, CultureInfo.InvariantCulture, out var number))
            throw TextErrors.Malformed(type, text);
        codec.Write(binary, number);
    }

    public override string ToText(ReadOnlySpan<byte> binary) => codec.Read(binary).ToString(null, CultureInfo.InvariantCulture);
}

/// <summary>real, as the server writes it and reads it.</summary>
internal sealed class Float4TextFormat : TextFormat
{
    private static readonly Float4Codec<float> Codec = new();

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        if (!FloatText.TryParse(Utf8.Read(text), out float number))
            throw TextErrors.Malformed("real", text);
        binary.WriteSingle(number);
    }

    public override string ToText(ReadOnlySpan<byte> binary) => FloatText.Show(Codec.Read(binary));
}

/// <summary>double precision, as the server writes it and reads it.</summary>
internal sealed class Float8TextFormat : TextFormat
{
    private static readonly Float8Codec<double> Codec = new();

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        if (!FloatText.TryParse(Utf8.Read(text), out double number))
            throw TextErrors.Malformed("double precision", text);
        binary.WriteDouble(number);
    }

    public override string ToText(ReadOnlySpan<byte> binary) => FloatText.Show(Codec.Read(binary));
}

/// <summary>The text formats of the integer and floating-point types.</summary>
internal static class NumberTextFormats
{
    public static readonly TextFormat Int2 = new IntegerTextFormat<short>("smallint", new Int2Codec<short>());
    public static readonly TextFormat Int4 = new IntegerTextFormat<int>("integer", new Int4Codec<int>());
    public static readonly TextFormat Int8 = new IntegerTextFormat<long>("bigint", new Int8Codec<long>());
    public static readonly TextFormat Float4 = new Float4TextFormat();
    public static readonly TextFormat Float8 = new Float8TextFormat();
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
            throw TextErrors.Malformed("numeric", text);
        }
    }

    public override string ToText(ReadOnlySpan<byte> binary) => NumericText.ToText(new NumericView(binary));
}
