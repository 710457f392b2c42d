using System.Collections;
using System.Data.Common;
using System.Globalization;
using System.Net;
using System.Numerics;

namespace Loxo.Conformance.Conversions;

/// <summary>A .NET type that a column is read as.</summary>
internal abstract record Target(string Name, Type Type)
{
    public static readonly IReadOnlyList<Target> All =
    [
        new Target<bool>((reader, i) => reader.GetBoolean(i)), new Target<byte>((reader, i) => reader.GetByte(i)),
        new Target<short>((reader, i) => reader.GetInt16(i)), new Target<int>((reader, i) => reader.GetInt32(i)),
        new Target<long>((reader, i) => reader.GetInt64(i)), new Target<float>((reader, i) => reader.GetFloat(i)),
        new Target<double>((reader, i) => reader.GetDouble(i)), new Target<decimal>((reader, i) => reader.GetDecimal(i)),
        new Target<char>((reader, i) => reader.GetChar(i)), new Target<string>((reader, i) => reader.GetString(i)),
        new Target<DateTime>((reader, i) => reader.GetDateTime(i)), new Target<Guid>((reader, i) => reader.GetGuid(i)),
        new Target<object>((reader, i) => reader.GetValue(i)), new Target<Stream>((reader, i) => reader.GetStream(i)),
        new Target<TextReader>((reader, i) => reader.GetTextReader(i)),
        new Target<sbyte>(), new Target<ushort>(), new Target<uint>(), new Target<ulong>(), new Target<BigInteger>(), new Target<Half>(),
        new Target<DateTimeOffset>(), new Target<DateOnly>(), new Target<TimeOnly>(), new Target<TimeSpan>(), new Target<byte[]>(),
        new Target<char[]>(), new Target<int?>(), new Target<bool?>(), new Target<Guid?>(), new Target<int[]>(), new Target<List<int>>(),
        new Target<string[]>(), new Target<BitArray>(), new Target<IPAddress>(), new Target<Uri>(),
    ];

    /// <summary>What the getter of the type's name returns; null if there is no such getter.</summary>
    public abstract Func<DbDataReader, int, object?>? Getter { get; }

    public abstract object? GetFieldValue(DbDataReader reader, int ordinal);

    public abstract Task<object?> GetFieldValueAsync(DbDataReader reader, int ordinal);
}

/// <inheritdoc/>
internal sealed record Target<T>(Func<DbDataReader, int, object?>? Typed = null) : Target(NameOf(typeof(T)), typeof(T))
{
    public override Func<DbDataReader, int, object?>? Getter => Typed;

    public override object? GetFieldValue(DbDataReader reader, int ordinal) => reader.GetFieldValue<T>(ordinal);

    public override async Task<object?> GetFieldValueAsync(DbDataReader reader, int ordinal) => await reader.GetFieldValueAsync<T>(ordinal);

    private static string NameOf(Type type) => Nullable.GetUnderlyingType(type) is { } inner ? inner.Name + "?"
        : type == typeof(List<int>) ? "List<Int32>" : type.Name;
}

/// <summary>What a getter answered, as text that can be compared.</summary>
internal static class Answer
{
    public static async Task<string> Of(Func<Task<object?>> get)
    {
        try
        {
            return Show(await get());
        }
        catch (Exception e)
        {
            return e.GetType().Name;
        }
    }

    private static string Show(object? value) => value switch
    {
        null => "null",
        DBNull => "DBNull",
        byte[] bytes => $"Byte[] {Convert.ToHexString(bytes)}",
        Stream stream => $"Stream {Content(stream)}",
        TextReader text => $"TextReader {Content(text)}",
        BitArray bits => $"BitArray {string.Concat(bits.Cast<bool>().Select(bit => bit ? 1 : 0))}",
        string text => $"String {text}",
        char[] characters => $"Char[] {new string(characters)}",
        DateTime or DateTimeOffset or DateOnly or TimeOnly => string.Create(CultureInfo.InvariantCulture, $"{value.GetType().Name} {value:o}"),
        IEnumerable list => $"{value.GetType().Name.Replace("Npgsql", "Pg")} {string.Join(", ", list.Cast<object?>().Select(Show))}",
        float or double or Half => string.Create(CultureInfo.InvariantCulture, $"{value.GetType().Name} {value:R}"),
        IFormattable number => $"{value.GetType().Name} {number.ToString(null, CultureInfo.InvariantCulture)}",
        _ => $"{value.GetType().Name.Replace("Npgsql", "Pg")} {value}",
    };

    private static string Content(TextReader text)
    {
        using (text)
            return text.ReadToEnd();
    }

    private static string Content(Stream stream)
    {
        using var closing = stream;
        using var copy = new MemoryStream();
        stream.CopyTo(copy);
        return Convert.ToHexString(copy.ToArray());
    }
}
