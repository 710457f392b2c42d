using System.Buffers;
using System.Collections.Frozen;
using System.Numerics;

namespace Loxo.Types;

/// <summary>The PostgreSQL type of a parameter that says nothing but its value.</summary>
internal sealed class TypeInference
{
    private static readonly Dictionary<Type, PgDbType> DbTypes = new()
    {
        [typeof(bool)] = PgDbType.Boolean,
        [typeof(short)] = PgDbType.Smallint,
        [typeof(byte)] = PgDbType.Smallint,
        [typeof(sbyte)] = PgDbType.Smallint,
        [typeof(int)] = PgDbType.Integer,
        [typeof(long)] = PgDbType.Bigint,
        [typeof(float)] = PgDbType.Real,
        [typeof(double)] = PgDbType.Double,
        [typeof(decimal)] = PgDbType.Numeric,
        [typeof(BigInteger)] = PgDbType.Numeric,
        [typeof(string)] = PgDbType.Text,
        [typeof(char)] = PgDbType.Text,
        [typeof(char[])] = PgDbType.Text,
        [typeof(ReadOnlyMemory<char>)] = PgDbType.Text,
        [typeof(ArraySegment<char>)] = PgDbType.Text,
        [typeof(byte[])] = PgDbType.Bytea,
        [typeof(ReadOnlyMemory<byte>)] = PgDbType.Bytea,
        [typeof(Memory<byte>)] = PgDbType.Bytea,
        [typeof(ArraySegment<byte>)] = PgDbType.Bytea,
        [typeof(ReadOnlySequence<byte>)] = PgDbType.Bytea,
        [typeof(Guid)] = PgDbType.Uuid,
        [typeof(DateOnly)] = PgDbType.Date,
        [typeof(TimeOnly)] = PgDbType.Time,
        [typeof(TimeSpan)] = PgDbType.Interval,
        [typeof(PgInterval)] = PgDbType.Interval,
        [typeof(DateTimeOffset)] = PgDbType.TimestampTz,
    };

    private readonly FrozenDictionary<Type, TypeEntry> _scalars;
    private readonly TypeEntry _timestamp;
    private readonly TypeEntry _timestampTz;

    public TypeInference(IReadOnlyDictionary<PgDbType, TypeEntry> types)
    {
        _scalars = DbTypes.ToFrozenDictionary(pair => pair.Key, pair => types[pair.Value]);
        _timestamp = types[PgDbType.Timestamp];
        _timestampTz = types[PgDbType.TimestampTz];
    }

    /// <summary>By the declared type.</summary>
    public TypeEntry? Of<T>(T? value)
    {
        if (typeof(T) == typeof(DateTime))
            return ByKind((DateTime)(object)value!); // no box: T is known when this is compiled
        return typeof(T) == typeof(object) || typeof(T) == typeof(DateTime?) || !typeof(T).IsValueType
            ? Of(value?.GetType() ?? typeof(T), value)
            : Of(typeof(T), null);
    }

    /// <summary>By a .NET type and, where a DateTime's kind decides, by the value.</summary>
    public TypeEntry? Of(Type clrType, object? value)
    {
        if (_scalars.TryGetValue(clrType, out var scalar))
            return scalar;
        if (clrType == typeof(DateTime))
            return value is DateTime dateTime ? ByKind(dateTime) : _timestampTz;
        if (Nullable.GetUnderlyingType(clrType) is { } underlying)
            return Of(underlying, value);
        return ElementOf(clrType) is { } element ? Of(element, First(value))?.Array : null;
    }

    private TypeEntry ByKind(DateTime value) => value.Kind == DateTimeKind.Utc ? _timestampTz : _timestamp;

    private static Type? ElementOf(Type clrType)
    {
        if (clrType.IsArray)
            return clrType.GetElementType();
        var isList = clrType.IsGenericType && clrType.GetGenericTypeDefinition() is var definition
            && (definition == typeof(List<>) || definition == typeof(IList<>));
        return isList ? clrType.GetGenericArguments()[0] : null;
    }

    // Only a DateTime is looked at: its kind stands for that of all elements, and each is checked when it is written.
    private static object? First(object? collection) => collection switch
    {
        IList<DateTime> { Count: > 0 } list => list[0],
        IList<DateTime?> list => list.FirstOrDefault(item => item is not null),
        _ => null,
    };
}
