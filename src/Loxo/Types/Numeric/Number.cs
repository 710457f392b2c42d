using System.Numerics;

namespace Loxo.Types;

/// <summary>Numbers of one .NET type as numbers of another, never silently as a different number.</summary>
internal static class Number
{
    /// <summary>A value from the server, of PostgreSQL type <paramref name="type"/>, as the .NET type asked for.</summary>
    public static TTo FromServer<TFrom, TTo>(TFrom value, string type)
        where TFrom : struct, INumber<TFrom>
        where TTo : struct, INumber<TTo>
    {
        if (typeof(TFrom) == typeof(TTo))
            return (TTo)(object)value; // no box: both types are known when this is compiled
        if (WouldLoseFraction<TFrom, TTo>(value))
            throw TypeErrors.NoForm(Describe(value, type), ClrNames.Of(typeof(TTo)), "Read it as " + ClrNames.Of(typeof(TFrom)));
        return TryConvert<TFrom, TTo>(value, out var converted)
            ? converted
            : throw TypeErrors.OutOfRange(Describe(value, type), ClrNames.Of(typeof(TTo)), "Read it as " + ClrNames.Of(typeof(TFrom)));
    }

    /// <summary>A value of the caller as the .NET type that the PostgreSQL type <paramref name="type"/> is written from.</summary>
    public static TTo ToServer<TFrom, TTo>(TFrom value, string type)
        where TFrom : struct, INumber<TFrom>
        where TTo : struct, INumber<TTo>
    {
        if (typeof(TFrom) == typeof(TTo))
            return (TTo)(object)value;
        if (WouldLoseFraction<TFrom, TTo>(value))
        {
            throw TypeErrors.NoForm(Describe(value, ClrNames.Of(typeof(TFrom))), "a value of PostgreSQL type " + type,
                "Round it, or write it as numeric");
        }
        return TryConvert<TFrom, TTo>(value, out var converted)
            ? converted
            : throw TypeErrors.OutOfRange(Describe(value, ClrNames.Of(typeof(TFrom))), "PostgreSQL type " + type,
                "Write it as a type with a larger range, such as bigint, double precision or numeric");
    }

    /// <summary>The number without its fraction.</summary>
    public static T Whole<T>(T value)
        where T : struct, INumber<T> => T.IsFinite(value) ? value - (value % T.One) : value;

    private static bool WouldLoseFraction<TFrom, TTo>(TFrom value)
        where TFrom : struct, INumber<TFrom>
        where TTo : struct, INumber<TTo> =>
        !TFrom.IsInteger(value) && TFrom.IsFinite(value)
        && TTo.IsZero(TTo.One / (TTo.One + TTo.One)); // TTo holds whole numbers only

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

    private static string Describe<T>(T value, string type)
        where T : struct, INumber<T> => string.Create(CultureInfo.InvariantCulture, $"The value {value} of type {type}");
}

/// <summary>A number of fixed size, whole or IEEE 754, as it is on the wire; and what other types of that size are at bottom.</summary>
/// <typeparam name="TServer">The .NET type that has the same values.</typeparam>
/// <typeparam name="T">The .NET type to read and write.</typeparam>
/// <param name="type">The PostgreSQL type.</param>
/// <param name="truncates">Whether a fraction is cut off when it is written, and not refused.</param>
internal sealed class NumberCodec<TServer, T>(string type, bool truncates = false) : ValueCodec<T>
    where TServer : unmanaged, INumber<TServer>
    where T : struct, INumber<T>
{
    public override T Read(ReadOnlySpan<byte> value) => Number.FromServer<TServer, T>(FixedBytes.Read<TServer>(value, type), type);

    public override void Write(MessageWriter writer, T value) => FixedBytes.Write(writer, ToServer(value));

    internal override void WriteWithLength(MessageWriter writer, T value) => FixedBytes.WriteWithLength(writer, ToServer(value));

    // Where both types are the same, nothing of this is left when it is compiled.
    private TServer ToServer(T value) =>
        Number.ToServer<T, TServer>(typeof(T) != typeof(TServer) && truncates ? Number.Whole(value) : value, type);
}
