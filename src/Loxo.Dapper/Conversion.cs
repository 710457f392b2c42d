using System.Globalization;
using System.Numerics;

namespace Loxo.DapperHandlers;

/// <summary>Converts values as <see cref="System.Data.IDataRecord.GetValue"/> returns them to the type of a member.</summary>
internal static class Conversion
{
    /// <summary>Converts a column's value, or an element of an array.</summary>
    /// <exception cref="InvalidCastException">The value is null and the type is not nullable, or there is no such conversion.</exception>
    /// <exception cref="OverflowException">The number does not fit.</exception>
    public static T To<T>(object? value)
    {
        if (value is T already)
            return already;
        if (value is null or DBNull)
            return default(T) is null ? default! : throw NullRefused(typeof(T));
        return (T)Convert(value, Nullable.GetUnderlyingType(typeof(T)) ?? typeof(T));
    }

    private static InvalidCastException NullRefused(Type type) => new($"Cannot read NULL as {type}; use its nullable form.");

    public static InvalidCastException Refused(object value, Type type) => new($"Cannot read a {value.GetType()} as {type}.");

    private static object Convert(object value, Type type) => value switch
    {
        _ when type.IsInstanceOfType(value) => value,
        string label when type.IsEnum => Enum.Parse(type, label, ignoreCase: true),
        _ when type.IsEnum && value is IConvertible => Enum.ToObject(type, value),
        DateTime time when type == typeof(DateOnly) => DateOnly.FromDateTime(time),
        DateTime time when type == typeof(TimeOnly) => TimeOnly.FromDateTime(time),
        DateTime time when type == typeof(DateTimeOffset) => new DateTimeOffset(time),
        DateOnly day when type == typeof(DateTime) => day.ToDateTime(TimeOnly.MinValue),
        TimeSpan time when type == typeof(TimeOnly) => TimeOnly.FromTimeSpan(time),
        TimeOnly time when type == typeof(TimeSpan) => time.ToTimeSpan(),
        decimal number when type == typeof(BigInteger) => Whole(number),
        IConvertible number when type == typeof(BigInteger) && value is short or int or long => new BigInteger(number.ToInt64(null)),
        IConvertible number when value is not string && (type.IsPrimitive || type == typeof(decimal)) => Exactly(number, type),
        _ => throw Refused(value, type),
    };

    private static object Exactly(IConvertible number, Type type)
    {
        var result = number.ToType(type, CultureInfo.InvariantCulture);
        return ((IConvertible)result).ToType(number.GetType(), CultureInfo.InvariantCulture).Equals(number)
            ? result
            : throw new InvalidCastException($"Cannot read {Text(number)} as {type}: digits would be lost.");
    }

    private static string Text(IConvertible number) => number.ToString(CultureInfo.InvariantCulture);

    private static BigInteger Whole(decimal number) => decimal.IsInteger(number)
        ? new BigInteger(number)
        : throw new InvalidCastException($"Cannot read {Text(number)} as a BigInteger: it has a fraction.");
}
