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
    public static readonly TextFormat Int2 = new IntegerTextFormat<short>("smallint", new NumberCodec<short, short>("smallint"));
    public static readonly TextFormat Int4 = new IntegerTextFormat<int>("integer", new NumberCodec<int, int>("integer"));
    public static readonly TextFormat Int8 = new IntegerTextFormat<long>("bigint", new NumberCodec<long, long>("bigint"));
    public static readonly TextFormat Float4 = new FloatTextFormat<float>("real", new NumberCodec<float, float>("real"));
    public static readonly TextFormat Float8 =
        new FloatTextFormat<double>("double precision", new NumberCodec<double, double>("double precision"));
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
