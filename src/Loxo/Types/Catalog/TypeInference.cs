using System.Buffers;
using System.Collections;
using System.Collections.Frozen;
using System.Collections.Specialized;
using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.NetworkInformation;
using System.Numerics;
using System.Text.Json;
using System.Text.Json.Nodes;

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
        [typeof(PgNumeric)] = PgDbType.Numeric,
        [typeof(string)] = PgDbType.Text,
        [typeof(char)] = PgDbType.Text,
        [typeof(char[])] = PgDbType.Text,
        [typeof(ReadOnlyMemory<char>)] = PgDbType.Text,
        [typeof(Memory<char>)] = PgDbType.Text,
        [typeof(ArraySegment<char>)] = PgDbType.Text,
        [typeof(byte[])] = PgDbType.Bytea,
        [typeof(ReadOnlyMemory<byte>)] = PgDbType.Bytea,
        [typeof(Memory<byte>)] = PgDbType.Bytea,
        [typeof(ArraySegment<byte>)] = PgDbType.Bytea,
        [typeof(ReadOnlySequence<byte>)] = PgDbType.Bytea,
        [typeof(Guid)] = PgDbType.Uuid,
        [typeof(DateOnly)] = PgDbType.Date,
        [typeof(PgDate)] = PgDbType.Date,
        [typeof(PgTimestamp)] = PgDbType.Timestamp,
        [typeof(TimeOnly)] = PgDbType.Time,
        [typeof(TimeSpan)] = PgDbType.Interval,
        [typeof(PgInterval)] = PgDbType.Interval,
        [typeof(DateTimeOffset)] = PgDbType.TimestampTz,
        [typeof(JsonDocument)] = PgDbType.Jsonb,
        [typeof(JsonElement)] = PgDbType.Jsonb,
        [typeof(JsonNode)] = PgDbType.Jsonb,
        [typeof(PgTsVector)] = PgDbType.TsVector,
        [typeof(PgTsQuery)] = PgDbType.TsQuery,
        [typeof(IPAddress)] = PgDbType.Inet,
        [typeof(PgInet)] = PgDbType.Inet,
        [typeof(IPNetwork)] = PgDbType.Cidr,
        [typeof(PgCidr)] = PgDbType.Cidr,
        [typeof(PhysicalAddress)] = PgDbType.MacAddr,
        [typeof(PgPoint)] = PgDbType.Point,
        [typeof(PgLine)] = PgDbType.Line,
        [typeof(PgLSeg)] = PgDbType.LSeg,
        [typeof(PgBox)] = PgDbType.Box,
        [typeof(PgPath)] = PgDbType.Path,
        [typeof(PgPolygon)] = PgDbType.Polygon,
        [typeof(PgCircle)] = PgDbType.Circle,
        [typeof(BitArray)] = PgDbType.Varbit,
        [typeof(BitVector32)] = PgDbType.Varbit,
        [typeof(PgTid)] = PgDbType.Tid,
        [typeof(PgLogSequenceNumber)] = PgDbType.PgLsn,
    };

    private static readonly HashSet<Type> Collections =
    [
        typeof(List<>), typeof(IList<>), typeof(IReadOnlyList<>), typeof(ICollection<>), typeof(IReadOnlyCollection<>), typeof(IEnumerable<>),
        typeof(ReadOnlyMemory<>), typeof(Memory<>), typeof(ArraySegment<>),
    ];

    private readonly IReadOnlyDictionary<PgDbType, TypeEntry> _types;
    private readonly FrozenDictionary<Type, TypeEntry> _scalars;
    private readonly TypeEntry _timestamp;
    private readonly TypeEntry _timestampTz;

    public TypeInference(IReadOnlyDictionary<PgDbType, TypeEntry> types)
    {
        _types = types;
        _scalars = DbTypes.ToFrozenDictionary(pair => pair.Key, pair => types[pair.Value]);
        _timestamp = types[PgDbType.Timestamp];
        _timestampTz = types[PgDbType.TimestampTz];
    }

    /// <summary>By the declared type.</summary>
    public TypeEntry? Of<T>(T? value)
    {
        if (typeof(T) == typeof(DateTime))
            return ByKind((DateTime)(object)value!); // no box: T is known when this is compiled
        return typeof(T) == typeof(object) || !typeof(T).IsValueType || Kinds<T>.Matter
            ? Of(value?.GetType() ?? typeof(T), value)
            : Of(typeof(T), null);
    }

    /// <summary>By a .NET type and, where a DateTime's kind decides, by the value.</summary>
    public TypeEntry? Of(Type clrType, object? value)
    {
        if (_scalars.TryGetValue(clrType, out var scalar))
            return scalar;
        if (clrType == typeof(DateTime))
            return value is DateTime dateTime ? ByKind(dateTime) : _timestamp;
        if (Nullable.GetUnderlyingType(clrType) is { } underlying)
            return Of(underlying, value);
        if (BoundOf(clrType) is { } bound)
            return RangeOf(Of(bound, DateTimeSample.In(value)), PgDbType.Range);
        return OfBase(clrType) ?? (ElementOf(clrType) is { } element ? CollectionOf(element, value) : null);
    }

    // IPAddress.Loopback, for one, is of a type that nobody can name, derived from IPAddress, and a JsonArray is a JsonNode before it is a
    // sequence of them. No type of the table is a base of all.
    private TypeEntry? OfBase(Type clrType)
    {
        for (var type = clrType.BaseType; type is not null; type = type.BaseType)
        {
            if (_scalars.TryGetValue(type, out var scalar))
                return scalar;
        }
        return null;
    }

    /// <summary>Whether the type that a value is written as depends on a DateTime's kind, so that it may be another one for the next value.</summary>
    public static bool DependsOnKind(Type clrType) =>
        clrType == typeof(DateTime)
        || !DbTypes.ContainsKey(clrType) && (Nullable.GetUnderlyingType(clrType) ?? BoundOf(clrType) ?? ElementOf(clrType)) is { } inner && DependsOnKind(inner);

    /// <summary>
    /// Whether a value is made of ranges of DateTime without a single bound, so that nothing tells <c>tsrange</c> from <c>tstzrange</c>,
    /// which the server does not convert into each other. An array without a DateTime is <c>timestamp[]</c>, which it does convert.
    /// </summary>
    public static bool IsUndecidedRange(object value) =>
        DependsOnKind(value.GetType()) && InnermostBound(value.GetType()) == typeof(DateTime) && DateTimeSample.In(value) is null;

    private static Type? InnermostBound(Type clrType)
    {
        var type = clrType;
        while (BoundOf(Nullable.GetUnderlyingType(type) ?? type) is null && ElementOf(type) is { } element)
            type = element;
        return BoundOf(Nullable.GetUnderlyingType(type) ?? type);
    }

    // Several ranges are a multirange; an array of ranges has to be asked for.
    private TypeEntry? CollectionOf(Type element, object? collection)
    {
        object? sample = DependsOnKind(element) ? DateTimeSample.In(collection) : null;
        return BoundOf(Nullable.GetUnderlyingType(element) ?? element) is not null
            ? RangeOf(Of(element, sample), PgDbType.Multirange)
            : Of(element, sample)?.Array;
    }

    private TypeEntry? RangeOf(TypeEntry? type, PgDbType kind) => type?.PgDbType is { } dbType
        ? _types.GetValueOrDefault((dbType & ~PgDbType.Range) | kind)
        : null;

    /// <summary>Of a range, the .NET type of its bounds; else null.</summary>
    public static Type? BoundOf(Type clrType) =>
        clrType.IsGenericType && clrType.GetGenericTypeDefinition() == typeof(PgRange<>) ? clrType.GetGenericArguments()[0] : null;

    private TypeEntry ByKind(DateTime value) => value.Kind == DateTimeKind.Utc ? _timestampTz : _timestamp;

    /// <summary>Of an array or list, what it holds; else null.</summary>
    public static Type? ElementOf(Type clrType)
    {
        if (clrType.IsArray)
            return clrType.GetElementType();
        if (clrType.IsGenericType && Collections.Contains(clrType.GetGenericTypeDefinition()))
            return clrType.GetGenericArguments()[0];
        return clrType.IsClass && clrType != typeof(string) ? SequenceElementOf(clrType) : null;
    }

    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "Writing a sequence uses IEnumerable<T>, so it stays where it is implemented.")]
    private static Type? SequenceElementOf(Type clrType)
    {
        var sequences = clrType.GetInterfaces().Where(type => type.IsGenericType && type.GetGenericTypeDefinition() == typeof(IEnumerable<>)).ToArray();
        return sequences is [var only] && only.GetGenericArguments()[0] is var element && IsNoCollection(element) ? element : null;
    }

    // A class that is a sequence may be one of itself: a node of its nodes.
    private static bool IsNoCollection(Type element) =>
        DbTypes.ContainsKey(element) || element == typeof(DateTime)
        || (Nullable.GetUnderlyingType(element) ?? BoundOf(element)) is { } inner && IsNoCollection(inner);

    private static class Kinds<T>
    {
        public static readonly bool Matter = DependsOnKind(typeof(T));
    }
}
