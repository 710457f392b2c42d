using System.Buffers;
using System.Globalization;
using System.Numerics;
using Loxo.Protocol.Frontend;

namespace Loxo.Types;

/// <summary>Text types: both formats are the same.</summary>
internal sealed class PlainTextFormat : TextFormat
{
    public override bool IsTextItself => true;

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text) => binary.WriteBytes(text);

    public override string ToText(ReadOnlySpan<byte> binary) => Utf8.Read(binary);
}

/// <summary>jsonb and jsonpath: the text behind a version.</summary>
internal sealed class VersionedTextFormat(string type) : TextFormat
{
    public override bool IsTextItself => true;

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        VersionedText.Begin(binary);
        binary.WriteBytes(text);
    }

    public override string ToText(ReadOnlySpan<byte> binary) => Utf8.Read(VersionedText.Open(binary, type));
}

/// <summary>boolean: t or f.</summary>
internal sealed class BoolTextFormat : TextFormat
{
    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text) => binary.WriteByte(text switch
    {
        [(byte)'t'] => 1,
        [(byte)'f'] => 0,
        _ => throw TextErrors.Malformed("boolean", text),
    });

    public override string ToText(ReadOnlySpan<byte> binary) => FixedBytes.ReadByte(binary, "boolean") == 0 ? "f" : "t";
}

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

/// <summary>The forms of the number types.</summary>
internal static class NumberTextFormats
{
    public static readonly TextFormat Int2 = new IntegerTextFormat<short>("smallint", new Int2Codec<short>());
    public static readonly TextFormat Int4 = new IntegerTextFormat<int>("integer", new Int4Codec<int>());
    public static readonly TextFormat Int8 = new IntegerTextFormat<long>("bigint", new Int8Codec<long>());
    public static readonly TextFormat Float4 = new Float4TextFormat();
    public static readonly TextFormat Float8 = new Float8TextFormat();
    public static readonly TextFormat Oid = new IntegerTextFormat<uint>("oid", new OidCodec("oid"));
    public static readonly TextFormat Xid8 = new IntegerTextFormat<ulong>("xid8", new Xid8Codec());
}

/// <summary>numeric: digits.</summary>
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

/// <summary>uuid: 36 characters.</summary>
internal sealed class UuidTextFormat : TextFormat
{
    private readonly UuidCodec _codec = new();

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        if (!Guid.TryParse(text, CultureInfo.InvariantCulture, out var uuid))
            throw TextErrors.Malformed("uuid", text);
        _codec.Write(binary, uuid);
    }

    public override string ToText(ReadOnlySpan<byte> binary) => _codec.Read(binary).ToString();
}

/// <summary>bytea in its hexadecimal form, \x and two digits a byte (manual, "Binary Data Types").</summary>
internal sealed class ByteaTextFormat : TextFormat
{
    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        if (!text.StartsWith("\\x"u8) || text.Length % 2 != 0)
            throw TextErrors.Malformed("bytea", text, "bytea_output has to be hex");
        var digits = text[2..];
        var bytes = binary.Reserve(digits.Length / 2);
        if (Convert.FromHexString(digits, bytes, out _, out _) != OperationStatus.Done)
            throw TextErrors.Malformed("bytea", text);
    }

    public override string ToText(ReadOnlySpan<byte> binary) => "\\x" + Convert.ToHexStringLower(binary);
}

/// <summary>"char": nothing for 0, the character for ASCII, \ooo for a byte beyond it (charout, char.c).</summary>
internal sealed class InternalCharTextFormat : TextFormat
{
    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text) => binary.WriteByte(text switch
    {
        [] => 0,
        [var character] => character,
        [(byte)'\\', var a and >= (byte)'0' and <= (byte)'3', var b, var c] when IsOctal(b) && IsOctal(c) =>
            (byte)(((a - '0') << 6) + ((b - '0') << 3) + (c - '0')),
        _ => throw TextErrors.Malformed("\"char\"", text),
    });

    public override string ToText(ReadOnlySpan<byte> binary) => FixedBytes.ReadByte(binary, "\"char\"") switch
    {
        0 => "",
        >= 0x80 and var high => "\\" + Convert.ToString(high, 8),
        var ascii => ((char)ascii).ToString(),
    };

    private static bool IsOctal(byte digit) => digit is >= (byte)'0' and <= (byte)'7';
}
