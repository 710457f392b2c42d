using System.Globalization;
using System.Numerics;

namespace Loxo.Types.Codecs;

/// <summary>Numbers of one .NET type as numbers of another, never silently as a different number.</summary>
internal static class Number
{
    /// <summary>A value from the server as the type asked for.</summary>
    public static TTo Convert<TFrom, TTo>(TFrom value, string type)
        where TFrom : struct, INumber<TFrom>
        where TTo : struct, INumber<TTo>
    {
        if (typeof(TFrom) == typeof(TTo))
            return (TTo)(object)value; // no box: both types are known when this is compiled
        return TryConvert<TFrom, TTo>(value, out var converted)
            ? converted
            : throw TypeErrors.OutOfRange(Text(value, type), ClrNames.Of(typeof(TTo)), "Read it as a wider type");
    }

    /// <summary>A value of the caller as one of the PostgreSQL type <paramref name="type"/>, which holds whole numbers.</summary>
    public static TTo ToWhole<TFrom, TTo>(TFrom value, string type)
        where TFrom : struct, INumber<TFrom>
        where TTo : struct, INumber<TTo>
    {
        if (typeof(TFrom) == typeof(TTo))
            return (TTo)(object)value;
        if (TFrom.IsFinite(value) && !TFrom.IsInteger(value))
            throw TypeErrors.NoForm(Text(value, ClrNames.Of(typeof(TFrom))), "a whole number of PostgreSQL type " + type, "Round it, or write it as numeric");
        return ToPostgres<TFrom, TTo>(value, type);
    }

    /// <summary>A value of the caller as one of the PostgreSQL type <paramref name="type"/>.</summary>
    public static TTo ToPostgres<TFrom, TTo>(TFrom value, string type)
        where TFrom : struct, INumber<TFrom>
        where TTo : struct, INumber<TTo>
    {
        if (typeof(TFrom) == typeof(TTo))
            return (TTo)(object)value;
        return TryConvert<TFrom, TTo>(value, out var converted)
            ? converted
            : throw TypeErrors.OutOfRange(Text(value, ClrNames.Of(typeof(TFrom))), "PostgreSQL type " + type, "Write it as a wider type");
    }

    private static bool TryConvert<TFrom, TTo>(TFrom value, out TTo converted)
        where TFrom : struct, INumber<TFrom>
        where TTo : struct, INumber<TTo>
    {
        try
        {
            converted = TTo.CreateChecked(value);
        }
        catch (OverflowException)
        {
            converted = default;
            return false;
        }
        // double to float has no overflow of its own: it becomes infinite instead.
        return TTo.IsFinite(converted) || !TFrom.IsFinite(value);
    }

    private static string Text<T>(T value, string type)
        where T : struct, INumber<T> => string.Create(CultureInfo.InvariantCulture, $"The value {value} of type {type}");
}
