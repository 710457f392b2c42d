namespace Loxo.Types;

/// <summary>numeric as the nearest decimal there is: digits at its end give way, digits before the point never do.</summary>
internal static class NumericRounding
{
    // What nine groups hold at most; dividing by more leaves nothing.
    private const int MostDigits = NumericDecimal.GroupsInUInt128 * NumericFormat.DigitsPerGroup;

    /// <summary>Half to even; false if the number is too large for decimal or no number.</summary>
    public static bool TryRound(NumericView numeric, out decimal rounded)
    {
        rounded = 0;
        if (numeric.Special is not null)
            return false;
        var taken = Math.Min(numeric.Count, NumericDecimal.GroupsInUInt128);
        UInt128 digits = 0;
        for (var i = 0; i < taken; i++)
            digits = digits * NumericFormat.Base + (uint)numeric[i];
        var isCut = taken < numeric.Count; // and what is cut off is not zero, or it would not be there
        var scale = (taken - 1 - numeric.Weight) * NumericFormat.DigitsPerGroup;
        for (var dropped = Math.Max(0, scale - NumericDecimal.MaxScale); dropped <= scale; dropped++)
        {
            // Always from all digits: rounding what is rounded already could go to the wrong side.
            var shorter = Drop(digits, dropped, isCut);
            if (shorter > NumericDecimal.Max)
                continue;
            rounded = NumericDecimal.ToDecimal(shorter, numeric.IsNegative, scale - dropped);
            return true;
        }
        return false;
    }

    private static UInt128 Drop(UInt128 digits, int count, bool isCut)
    {
        if (count > MostDigits)
            return 0;
        var power = NumericDecimal.PowerOfTen(count);
        var (shorter, rest) = UInt128.DivRem(digits, power);
        var half = power / 2;
        // With nothing to drop there is no half; where digits have been cut off, as many as are left never fit, so nothing is decided then.
        var isMore = rest > half || (rest == half && isCut);
        var isTie = rest == half && !isCut && count > 0;
        return isMore || (isTie && UInt128.IsOddInteger(shorter)) ? shorter + 1 : shorter;
    }
}
