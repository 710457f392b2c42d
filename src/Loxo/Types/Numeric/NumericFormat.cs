namespace Loxo.Types;

internal static class NumericFormat
{
    public const int HeaderSize = 8;
    public const int DigitsPerGroup = 4;
    public const int Base = 10_000;

    /// <summary>Digits before the point, at most (manual, "Numeric Types").</summary>
    public const int MaxWholeDigits = 131_072;

    public const int MaxScale = 16_383;

    public const ushort Positive = 0x0000;
    public const ushort Negative = 0x4000;
    public const ushort NaN = 0xC000;
    public const ushort PositiveInfinity = 0xD000;
    public const ushort NegativeInfinity = 0xF000;
}
