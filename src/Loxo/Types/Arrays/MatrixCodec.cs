namespace Loxo.Types;

/// <summary>An array of so many dimensions, T[,] and so on: read with indexes from 0 on, whatever they are on the server.</summary>
internal sealed class MatrixCodec<TArray, T>(ArrayFormat<T> format, int rank) : Codec<TArray>
    where TArray : class
{
    public override TArray Read(ReadOnlySpan<byte> value)
    {
        var reader = format.Open(value);
        if (reader.Count == 0)
            return (TArray)(object)Matrices.Create<T>(stackalloc int[rank]);
        return reader.Rank == rank
            ? (TArray)(object)Matrices.Read(reader, format, keepsBounds: false)
            : throw format.WrongRank(reader.Rank, rank, typeof(TArray));
    }

    public override void Write(MessageWriter writer, TArray value) => Matrices.Write(writer, (Array)(object)value, format);
}

/// <summary>
/// An array of any number of dimensions as what it is: T[], T[,] and so on. The first index of each dimension is kept: what is n on the
/// server is n - 1 in .NET, so that an ordinary array, from 1 there, is an ordinary array, from 0, here.
/// Arrays that contain NULL, where T cannot be null, are read by <paramref name="withNulls"/>, or else are an error.
/// </summary>
internal sealed class AnyArrayCodec<T>(Codec<T> element, TypeEntry type, Codec<Array>? withNulls = null) : Codec<Array>
{
    private readonly ArrayFormat<T> _format = new(element, type);

    public override Array Read(ReadOnlySpan<byte> value) => Read(value, keepsBounds: true);

    public override void Write(MessageWriter writer, Array value)
    {
        if (value.GetType().GetElementType() == typeof(T))
        {
            Matrices.Write(writer, value, _format);
            return;
        }
        var codec = type.Array?.CodecForValue(value) ?? throw ConversionErrors.NotWritable(type.Array ?? type, value.GetType());
        codec.WriteObject(writer, value);
    }

    private protected override object ReadUntyped(ReadOnlySpan<byte> value) => Read(value, keepsBounds: false);

    private Array Read(ReadOnlySpan<byte> value, bool keepsBounds)
    {
        var reader = _format.Open(value);
        if (withNulls is not null && HasNull(reader))
            return keepsBounds ? withNulls.Read(value) : (Array)withNulls.ReadObject(value);
        return reader.Rank == 0 ? Array.Empty<T>() : Matrices.Read(reader, _format, keepsBounds);
    }

    // The header alone does not tell: its flag stays set when the last NULL has been replaced.
    private static bool HasNull(ArrayReader reader)
    {
        for (var left = reader.MayHaveNulls ? reader.Count : 0; left > 0; left--)
        {
            if (!reader.TryTake(out _))
                return true;
        }
        return false;
    }
}

internal static class Matrices
{
    public static Array Read<T>(ArrayReader reader, ArrayFormat<T> format, bool keepsBounds)
    {
        var array = keepsBounds && reader.LowerBounds.ContainsAnyExcept(1)
            ? CreateFrom<T>(reader.Lengths, reader.LowerBounds)
            : Create<T>(reader.Lengths);
        format.ReadElements(reader.Elements, ElementsOf<T>(array));
        return array;
    }

    public static void Write<T>(MessageWriter writer, Array value, ArrayFormat<T> format)
    {
        Span<int> lengths = stackalloc int[value.Rank];
        Span<int> lowerBounds = stackalloc int[value.Rank];
        MeasureShape(value, lengths, lowerBounds);
        format.Write(writer, ElementsOf<T>(value), lengths, lowerBounds);
    }

    /// <summary>Fills in the length and the first index on the server of each dimension.</summary>
    public static void MeasureShape(Array value, Span<int> lengths, Span<int> lowerBounds)
    {
        if (value.Rank > ArrayReader.MostDimensions)
            throw TypeErrors.NoForm($"An array of {value.Rank} dimensions", "an array of PostgreSQL, which has at most 6",
                "Write it as several arrays");
        for (var i = 0; i < value.Rank; i++)
        {
            lengths[i] = value.GetLength(i);
            lowerBounds[i] = unchecked(value.GetLowerBound(i) + 1);
        }
    }

    private static Span<T> ElementsOf<T>(Array array) =>
        MemoryMarshal.CreateSpan(ref Unsafe.As<byte, T>(ref MemoryMarshal.GetArrayDataReference(array)), array.Length);

    public static Array Create<T>(ReadOnlySpan<int> lengths) => lengths switch
    {
        [var a] => new T[a],
        [var a, var b] => new T[a, b],
        [var a, var b, var c] => new T[a, b, c],
        [var a, var b, var c, var d] => new T[a, b, c, d],
        [var a, var b, var c, var d, var e] => new T[a, b, c, d, e],
        [var a, var b, var c, var d, var e, var f] => new T[a, b, c, d, e, f],
        _ => Array.Empty<T>(),
    };

    private static Array CreateFrom<T>(ReadOnlySpan<int> lengths, ReadOnlySpan<int> lowerBounds)
    {
        var first = new int[lengths.Length];
        for (var i = 0; i < first.Length; i++)
        {
            // What would end beyond the largest index has no place in .NET, nor has it on the server (ArrayCheckBounds, arrayutils.c).
            if (lowerBounds[i] == int.MinValue || (long)lowerBounds[i] - 1 + lengths[i] > int.MaxValue)
                throw TypeErrors.OutOfRange($"The first index {lowerBounds[i]} of an array", "an array of .NET",
                    $"Read it as {ClrNames.Of(typeof(T))}[]");
            first[i] = lowerBounds[i] - 1;
        }
        return lengths.Length switch
        {
            2 => Array.CreateInstanceFromArrayType(typeof(T[,]), [.. lengths], first),
            3 => Array.CreateInstanceFromArrayType(typeof(T[,,]), [.. lengths], first),
            4 => Array.CreateInstanceFromArrayType(typeof(T[,,,]), [.. lengths], first),
            5 => Array.CreateInstanceFromArrayType(typeof(T[,,,,]), [.. lengths], first),
            6 => Array.CreateInstanceFromArrayType(typeof(T[,,,,,]), [.. lengths], first),
            // The type of a one-dimensional array from another index than 0 cannot be named, and native compilation has none.
            _ => RuntimeFeature.IsDynamicCodeSupported ? Array.CreateInstance(typeof(T), [.. lengths], first) : Create<T>(lengths),
        };
    }
}
