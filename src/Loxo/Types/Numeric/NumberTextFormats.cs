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

/// <summary>real and double precision, as the server writes and reads them.</summary>
internal sealed class FloatTextFormat<T>(string type, Codec<T> codec) : TextFormat
    where T : struct, IBinaryFloatingPointIeee754<T>
{
    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        if (!FloatText.TryParse(Utf8.Read(text), out T number))
            throw TextErrors.Malformed(type, text);
        codec.Write(binary, number);
    }

    public override string ToText(ReadOnlySpan<byte> binary) => FloatText.Show(codec.Read(binary));
}

internal static class NumberTextFormats
{
    public static readonly TextFormat Int2 = new IntegerTextFormat<short>("smallint", new Int2Codec<short>());
    public static readonly TextFormat Int4 = new IntegerTextFormat<int>("integer", new Int4Codec<int>());
    public static readonly TextFormat Int8 = new IntegerTextFormat<long>("bigint", new Int8Codec<long>());
    public static readonly TextFormat Float4 = new FloatTextFormat<float>("real", new Float4Codec<float>());
    public static readonly TextFormat Float8 = new FloatTextFormat<double>("double precision", new Float8Codec<double>());
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
