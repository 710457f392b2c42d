using System.Buffers;
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

    private readonly FrozenDictionary<Type, TypeEntry> _types;

    public ScalarInference(IReadOnlyDictionary<PgDbType, TypeEntry> types)
    {
        _types = DbTypes.ToFrozenDictionary(pair => pair.Key, pair => types[pair.Value]);
        Timestamp = types[PgDbType.Timestamp];
        TimestampTz = types[PgDbType.TimestampTz];
    }

    public static ScalarInference Default { get; } = new(
        ScalarTypes.Create(TypeSettings.Default).Where(type => type.PgDbType is not null).ToDictionary(type => type.PgDbType!.Value));

    public TypeEntry Timestamp { get; }

    public TypeEntry TimestampTz { get; }

    /// <summary>Whether a .NET type has one type of its own, whatever the value.</summary>
    public static bool IsScalar(Type clrType) => DbTypes.ContainsKey(clrType);

    public TypeEntry ByKind(DateTime value) => value.Kind == DateTimeKind.Utc ? TimestampTz : Timestamp;

    /// <summary>By a .NET type and, where a DateTime's kind decides, by the value; null for what is no scalar.</summary>
    public TypeEntry? Of(Type clrType, object? value)
    {
        if (_types.TryGetValue(clrType, out var scalar))
            return scalar;
        return clrType == typeof(DateTime) ? value is DateTime dateTime ? ByKind(dateTime) : Timestamp : null;
    }

    /// <summary>
    /// By a base type: IPAddress.Loopback is of an internal type derived from IPAddress, and a JsonArray is a JsonNode before it is a
    /// sequence of nodes. No type of the table is a base of all.
    /// </summary>
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
