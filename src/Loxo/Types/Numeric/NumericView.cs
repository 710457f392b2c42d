namespace Loxo.Types;

/// <summary>
/// numeric on the wire (numeric_send, numeric.c): four Int16 (number of groups, weight of the first, sign, digits after the point), then
/// the groups, each four decimal digits. A group counts 10000 to the power of its weight, which falls by one from group to group.
/// Groups of zeros at either end are gone here, so that the groups left are as few as they can be.
/// </summary>
internal readonly ref struct NumericView
{
    private readonly ReadOnlySpan<byte> _groups;
    private readonly ushort _sign;

    public NumericView(ReadOnlySpan<byte> value)
    {
        if (value.Length < NumericFormat.HeaderSize)
            throw Malformed("it ends within its header");
        Weight = BinaryPrimitives.ReadInt16BigEndian(value[2..]);
        _sign = BinaryPrimitives.ReadUInt16BigEndian(value[4..]);
        Scale = BinaryPrimitives.ReadUInt16BigEndian(value[6..]);
        _groups = value[NumericFormat.HeaderSize..];
        if (_groups.Length != BinaryPrimitives.ReadUInt16BigEndian(value) * sizeof(ushort))
            throw Malformed("its number of digits does not fit its length");
        if (_sign is not (NumericFormat.Positive or NumericFormat.Negative or NumericFormat.NaN
            or NumericFormat.PositiveInfinity or NumericFormat.NegativeInfinity))
            throw Malformed("its sign is unknown");
        if (Scale > NumericFormat.MaxScale)
            throw Malformed("it has more digits after the point than PostgreSQL allows");
        while (_groups is [0, 0, ..])
        {
            _groups = _groups[2..];
            Weight--;
        }
        while (_groups is [.., 0, 0])
            _groups = _groups[..^2];
    }

    public int Count => _groups.Length / sizeof(ushort);

    public int Weight { get; }

    /// <summary>Digits after the point, as shown; the groups may hold fewer.</summary>
    public int Scale { get; }

    public bool IsNegative => _sign is NumericFormat.Negative;

    /// <summary>Its text when it is no number: NaN or an infinity; else null.</summary>
    public string? Special => _sign switch
    {
        NumericFormat.NaN => "NaN",
        NumericFormat.PositiveInfinity => "Infinity",
        NumericFormat.NegativeInfinity => "-Infinity",
        _ => null,
    };

    /// <summary>Whether digits after the point are other than zero.</summary>
    public bool HasFraction => Count > 0 && Weight - Count + 1 < 0;

    public int this[int index]
    {
        get
        {
            var group = BinaryPrimitives.ReadUInt16BigEndian(_groups[(index * sizeof(ushort))..]);
            return group < NumericFormat.Base ? group : throw Malformed("one of its digits is out of range");
        }
    }

    /// <summary>Looks at every group, for a value whose groups are read later.</summary>
    public void CheckGroups()
    {
        for (var i = 0; i < Count; i++)
            _ = this[i];
    }

    private static PgException Malformed(string why) => TypeErrors.Malformed("numeric", why);
}

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
