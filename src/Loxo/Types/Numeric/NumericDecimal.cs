namespace Loxo.Types;

/// <summary>numeric as decimal: the same digits, with the same number of them after the point, or an error.</summary>
internal static class NumericDecimal
{
    private const int MaxScale = 28;
    private static readonly UInt128 Max = (UInt128)decimal.MaxValue;
    private static readonly UInt128 TenthOfMax = Max / 10;

    // Four groups are 16 digits and fit into a ulong; nine are 36 and fit into a UInt128. A decimal has 29 digits at most.
    private const int GroupsInUInt64 = 4;
    private const int GroupsInUInt128 = 9;

    /// <summary>The number exactly, apart from zeros at its end.</summary>
    public static decimal Read(ReadOnlySpan<byte> value)
    {
        var numeric = new NumericView(value);
        return TryRead(numeric, out var exact) ? exact : throw DoesNotFit(numeric, canRound: true);
    }

    /// <summary>The number, rounded half to even to as many digits after the point as decimal has room for.</summary>
    public static decimal ReadRounded(ReadOnlySpan<byte> value)
    {
        var numeric = new NumericView(value);
        return TryRead(numeric, out var number) || TryRound(numeric, out number)
            ? number
            : throw DoesNotFit(numeric, canRound: false);
    }

    private static bool TryRead(NumericView numeric, out decimal exact)
    {
        exact = 0;
        if (numeric.Special is not null || numeric.Count > GroupsInUInt128)
            return false;
        var exponent = numeric.Count == 0 ? 0 : (numeric.Weight - numeric.Count + 1) * NumericFormat.DigitsPerGroup;
        if (!IsSmall(numeric, exponent))
            return TryAssemble(numeric, Digits(numeric, numeric.Count), exponent, out exact);
        exact = AssembleSmall(numeric, exponent);
        return true;
    }

    // Half to even: digits at the end give way, digits before the point never do.
    private static bool TryRound(NumericView numeric, out decimal rounded)
    {
        rounded = 0;
        if (numeric.Special is not null)
            return false;
        var taken = Math.Min(numeric.Count, GroupsInUInt128);
        var digits = Digits(numeric, taken);
        var isCut = taken < numeric.Count; // and what is cut off is not zero, or it would not be there
        var scale = (taken - 1 - numeric.Weight) * NumericFormat.DigitsPerGroup;
        for (var dropped = Math.Max(0, scale - MaxScale); dropped <= scale; dropped++)
        {
            // Always from all digits: rounding what is rounded already could go to the wrong side.
            var shorter = Drop(digits, dropped, isCut);
            if (shorter > Max)
                continue;
            rounded = ToDecimal(shorter, numeric.IsNegative, scale - dropped);
            return true;
        }
        return false;
    }

    private static UInt128 Drop(UInt128 digits, int count, bool isCut)
    {
        if (count > GroupsInUInt128 * NumericFormat.DigitsPerGroup)
            return 0;
        var power = PowerOfTen(count);
        var (shorter, rest) = UInt128.DivRem(digits, power);
        var half = power / 2;
        // With nothing to drop there is no half; where digits have been cut off, as many as are left never fit, so nothing is decided then.
        var isMore = rest > half || (rest == half && isCut);
        var isTie = rest == half && !isCut && count > 0;
        return isMore || (isTie && UInt128.IsOddInteger(shorter)) ? shorter + 1 : shorter;
    }

    public static void Write(MessageWriter writer, decimal value)
    {
        Span<int> bits = stackalloc int[4];
        decimal.GetBits(value, bits);
        var mantissa = new UInt128((uint)bits[2], ((ulong)(uint)bits[1] << 32) | (uint)bits[0]);
        var scale = (int)value.Scale;
        // The point has to fall between two groups.
        var padding = -scale & (NumericFormat.DigitsPerGroup - 1);
        mantissa *= PowerOfTen(padding);
        Span<ushort> groups = stackalloc ushort[GroupsInUInt128];
        var used = Split(mantissa, groups);
        var lowestWeight = -(scale + padding) / NumericFormat.DigitsPerGroup;
        var sign = decimal.IsNegative(value) && mantissa != 0 ? NumericFormat.Negative : NumericFormat.Positive;
        WriteGroups(writer, groups[^used..], lowestWeight + used - 1, sign, scale);
    }

    /// <summary>Writes the groups, without the zeros at their end, behind their header.</summary>
    public static void WriteGroups(MessageWriter writer, ReadOnlySpan<ushort> groups, int weight, ushort sign, int scale)
    {
        groups = groups.TrimEnd((ushort)0);
        var bytes = writer.Reserve(NumericFormat.HeaderSize + groups.Length * sizeof(ushort));
        BinaryPrimitives.WriteInt16BigEndian(bytes, (short)groups.Length);
        BinaryPrimitives.WriteInt16BigEndian(bytes[2..], groups.IsEmpty ? (short)0 : (short)weight);
        BinaryPrimitives.WriteUInt16BigEndian(bytes[4..], sign);
        BinaryPrimitives.WriteInt16BigEndian(bytes[6..], (short)scale);
        bytes = bytes[NumericFormat.HeaderSize..];
        for (var i = 0; i < groups.Length; i++)
            BinaryPrimitives.WriteUInt16BigEndian(bytes[(i * sizeof(ushort))..], groups[i]);
    }

    // Nearly every number there is: up to 16 digits that end in the group where the shown ones end too.
    private static bool IsSmall(NumericView numeric, int exponent) =>
        numeric.Count <= GroupsInUInt64 && exponent <= 0 && numeric.Scale <= MaxScale
        && exponent + numeric.Scale is > -NumericFormat.DigitsPerGroup and < NumericFormat.DigitsPerGroup;

    private static decimal AssembleSmall(NumericView numeric, int exponent)
    {
        ulong digits = 0;
        for (var i = 0; i < numeric.Count; i++)
            digits = digits * NumericFormat.Base + (uint)numeric[i];
        var missing = exponent + numeric.Scale;
        digits = missing < 0 ? digits / Powers[-missing] : digits * Powers[missing];
        return new decimal((int)digits, (int)(digits >> 32), 0, numeric.IsNegative && digits != 0, (byte)numeric.Scale);
    }

    private static UInt128 Digits(NumericView numeric, int groups)
    {
        UInt128 digits = 0;
        for (var i = 0; i < groups; i++)
            digits = digits * NumericFormat.Base + (uint)numeric[i];
        return digits;
    }

    private static bool TryAssemble(NumericView numeric, UInt128 digits, int exponent, out decimal assembled)
    {
        assembled = 0;
        if (exponent > 0 && digits != 0)
        {
            if (exponent > MaxScale || digits > Max / PowerOfTen(exponent))
                return false;
            digits *= PowerOfTen(exponent);
        }
        var scale = Math.Max(0, -exponent);
        if (digits == 0)
            scale = 0;
        if (scale > numeric.Scale)
            Shorten(ref digits, ref scale, numeric.Scale);
        while ((digits > Max || scale > MaxScale) && scale > 0 && digits % 10 == 0)
            Shorten(ref digits, ref scale, scale - 1);
        if (digits > Max || scale > MaxScale)
            return false;
        Lengthen(ref digits, ref scale, Math.Min(numeric.Scale, MaxScale));
        assembled = ToDecimal(digits, numeric.IsNegative, scale);
        return true;
    }

    // What is cut off is zeros that fill the last group up; anything else is not shown by the server either (get_str_from_var).
    private static void Shorten(ref UInt128 digits, ref int scale, int wanted)
    {
        digits = scale - wanted > MaxScale ? 0 : digits / PowerOfTen(scale - wanted);
        scale = wanted;
    }

    // Zeros after the point are kept as far as there is room for them: 1.50 stays 1.50.
    private static void Lengthen(ref UInt128 digits, ref int scale, int wanted)
    {
        while (scale < wanted && digits <= TenthOfMax)
        {
            digits *= 10;
            scale++;
        }
    }

    private static decimal ToDecimal(UInt128 digits, bool isNegative, int scale)
    {
        var low = (ulong)digits;
        return new decimal((int)low, (int)(low >> 32), (int)(uint)(digits >> 64), isNegative && digits != 0, (byte)scale);
    }

    private static int Split(UInt128 mantissa, Span<ushort> groups)
    {
        const ulong fourGroups = 10_000_000_000_000_000;
        var used = 0;
        while (mantissa > ulong.MaxValue)
        {
            (mantissa, var rest) = UInt128.DivRem(mantissa, fourGroups);
            for (var i = 0; i < GroupsInUInt64; i++)
                groups[^++used] = TakeGroup(ref rest);
        }
        for (var low = (ulong)mantissa; low != 0;)
        {
            (low, var group) = Math.DivRem(low, NumericFormat.Base);
            groups[^++used] = (ushort)group;
        }
        return used;
    }

    private static ushort TakeGroup(ref UInt128 value)
    {
        var (quotient, group) = Math.DivRem((ulong)value, NumericFormat.Base);
        value = quotient;
        return (ushort)group;
    }

    private static UInt128 PowerOfTen(int exponent)
    {
        UInt128 power = 1;
        for (; exponent >= 16; exponent -= 16)
            power *= 10_000_000_000_000_000;
        return power * Powers[exponent];
    }

    private static ReadOnlySpan<ulong> Powers =>
    [
        1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000, 100_000_000_000,
        1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
    ];

    public static void RefuseNaN(ReadOnlySpan<byte> value)
    {
        if (new NumericView(value).Special is "NaN")
            throw TypeErrors.NoForm("The numeric value NaN", "decimal", "Read it as PgNumeric, double or string");
    }

    private static OverflowException DoesNotFit(NumericView numeric, bool canRound)
    {
        if (numeric.Special is { } special)
            return TypeErrors.OutOfRange($"The numeric value {special}", "decimal", "Read it as PgNumeric, double or string");
        var remedy = !numeric.HasFraction ? "Read it as PgNumeric, BigInteger, double or string"
            : canRound ? "Read it as PgNumeric, double or string, round() it in SQL, or choose NumericPolicy.Round"
            : "Read it as PgNumeric, double or string";
        return TypeErrors.OutOfRange($"The numeric value {NumericText.Abbreviate(numeric)}", "decimal, which has 28 digits", remedy);
    }
}
