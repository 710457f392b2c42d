using System.Collections;
using System.Collections.Frozen;
using System.Collections.Specialized;
using System.Net;
using System.Net.NetworkInformation;
using System.Numerics;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Loxo.Types;

/// <summary>The built-in scalar type that a value is written as when nothing but its .NET type tells it.</summary>
internal sealed class ScalarInference
{
    private static readonly Dictionary<Type, PgDbType> DbTypes = new (PgDbType DbType, Type[] ClrTypes)[]
    {
        (PgDbType.Boolean, [typeof(bool)]),
        (PgDbType.Smallint, [typeof(short), typeof(byte), typeof(sbyte)]),
        (PgDbType.Integer, [typeof(int)]),
        (PgDbType.Bigint, [typeof(long)]),
        (PgDbType.Real, [typeof(float)]),
        (PgDbType.Double, [typeof(double)]),
        (PgDbType.Numeric, [typeof(decimal), typeof(BigInteger), typeof(PgNumeric)]),
        (PgDbType.Text, [typeof(string), typeof(char), typeof(char[]),
            typeof(ReadOnlyMemory<char>), typeof(Memory<char>), typeof(ArraySegment<char>)]),
        (PgDbType.Bytea, [typeof(byte[]), typeof(ReadOnlyMemory<byte>), typeof(Memory<byte>), typeof(ArraySegment<byte>),
            typeof(ReadOnlySequence<byte>)]),
        (PgDbType.Uuid, [typeof(Guid)]),
        (PgDbType.Date, [typeof(DateOnly), typeof(PgDate)]),
        (PgDbType.Timestamp, [typeof(PgTimestamp)]),
        (PgDbType.Time, [typeof(TimeOnly)]),
        (PgDbType.Interval, [typeof(TimeSpan), typeof(PgInterval)]),
        (PgDbType.TimestampTz, [typeof(DateTimeOffset)]),
        (PgDbType.Jsonb, [typeof(JsonDocument), typeof(JsonElement), typeof(JsonNode)]),
        (PgDbType.TsVector, [typeof(PgTsVector)]),
        (PgDbType.TsQuery, [typeof(PgTsQuery)]),
        (PgDbType.Inet, [typeof(IPAddress), typeof(PgInet)]),
        (PgDbType.Cidr, [typeof(IPNetwork), typeof(PgCidr)]),
        (PgDbType.MacAddr, [typeof(PhysicalAddress)]),
        (PgDbType.Point, [typeof(PgPoint)]),
        (PgDbType.Line, [typeof(PgLine)]),
        (PgDbType.LSeg, [typeof(PgLSeg)]),
        (PgDbType.Box, [typeof(PgBox)]),
        (PgDbType.Path, [typeof(PgPath)]),
        (PgDbType.Polygon, [typeof(PgPolygon)]),
        (PgDbType.Circle, [typeof(PgCircle)]),
        (PgDbType.Varbit, [typeof(BitArray), typeof(BitVector32)]),
        (PgDbType.Tid, [typeof(PgTid)]),
        (PgDbType.PgLsn, [typeof(PgLogSequenceNumber)]),
    }.SelectMany(row => row.ClrTypes, (row, clrType) => KeyValuePair.Create(clrType, row.DbType)).ToDictionary();

    private readonly FrozenDictionary<Type, TypeEntry> _types;

    private readonly bool _kindMatters;

    public ScalarInference(IReadOnlyDictionary<PgDbType, TypeEntry> types, bool kindMatters)
    {
        _kindMatters = kindMatters;
        _types = DbTypes.ToFrozenDictionary(pair => pair.Key, pair => types[pair.Value]);
        Timestamp = types[PgDbType.Timestamp];
        TimestampTz = types[PgDbType.TimestampTz];
    }

    public static ScalarInference Default { get; } = new(
        ScalarTypes.Create(TypeSettings.Default).Where(type => type.PgDbType is not null).ToDictionary(type => type.PgDbType!.Value),
        kindMatters: !LocalTime.IsDefault);

    public TypeEntry Timestamp { get; }

    public TypeEntry TimestampTz { get; }

    /// <summary>Whether a .NET type has one type of its own, whatever the value.</summary>
    public static bool IsScalar(Type clrType) => DbTypes.ContainsKey(clrType);

    public TypeEntry ByKind(DateTime value) => value.Kind == DateTimeKind.Utc && _kindMatters ? TimestampTz : Timestamp;

    /// <summary>By a .NET type and, where a DateTime's kind decides, by the value; null for what is no scalar.</summary>
    public TypeEntry? Of(Type clrType, object? value)
    {
        if (_types.TryGetValue(clrType, out var scalar))
            return scalar;
        return clrType == typeof(DateTime) ? value is DateTime dateTime ? ByKind(dateTime) : Timestamp : null;
    }

    /// <summary>By a base type: IPAddress.Loopback is of a derived internal type, and a JsonArray is a JsonNode first.</summary>
    public TypeEntry? OfBase(Type clrType)
    {
        for (var type = clrType.BaseType; type is not null; type = type.BaseType)
        {
            if (_types.TryGetValue(type, out var scalar))
                return scalar;
        }
        return null;
    }
}
