using System.Buffers.Binary;
using System.Text;
using Loxo.Protocol;
using Loxo.Types;

namespace Loxo.Tests.Types;

/// <summary>
/// Values of every built-in type as its bytes. Those of scalar types are taken from a list by trying which of them a type can read, so that a new type
/// needs nothing here unless its format is like no other's; those of composed types are made from the values of their parts.
/// </summary>
internal sealed class GoldenBytes
{
    private const int MostOfEach = 12;

    // The values that a seed makes depend on the order of the types, which is fixed here so that the table of types can be rearranged.
    private static readonly string[] Order = (
        "bool int2 int4 int8 float4 float8 numeric money text varchar bpchar name xml refcursor unknown cstring pg_node_tree "
        + "jsonpath json jsonb date time timetz timestamp timestamptz interval bytea uuid char void record oid xid cid xid8 "
        + "oidvector int2vector regproc regprocedure regoper regoperator regclass regcollation regtype regrole regnamespace "
        + "regconfig regdictionary inet cidr macaddr macaddr8 point line lseg box path polygon circle bit varbit tsvector tsquery "
        + "tid pg_lsn txid_snapshot pg_snapshot anyarray aclitem gtsvector pg_ndistinct pg_dependencies pg_mcv_list int4range "
        + "int4multirange int8range int8multirange numrange nummultirange tsrange tsmultirange tstzrange tstzmultirange daterange "
        + "datemultirange").Split(' ');

    private static readonly string[] Scalars =
    [
        "", "00", "01", "61", "0001", "00000001", "ffffffff", "7fffffff", "80000000", "0000000000000001", "7fffffffffffffff", "8000000000000000",
        "3ff8000000000000", "3ff00000000000004000000000000000", "3ff0000000000000400000000000000040080000000000004010000000000000",
        "3ff000000000000040000000000000004008000000000000", "00112233445566778899aabbccddeeff", "08002b010203", "08002b0102030405", "000000010002",
        "000200000000000200011388", "000700040000000804d2162e23340d801ed204d2162e", "00000000c0000000", "00000000d0000000", "000c7ff000000000", "0001400000000000270f",
        "0000000a8be62608ffffb2a8", "000000036c97ca88fffffffd0000000e", "0002b58341728614", "0000001481c7000000000000", "017b7d", "6772c3bc6e20e282ac", "0124", "01242e61",
        "02180004c0a80000", "02200104c0a80000", "0340001000000000000000000000000000000001", "03800110fe800000000000000000000000000001",
        "00000005a8", "00000000", "0000000aaac0", "0000000361000002c00100026263000001000369742773000000",
        "0000000c02020204000202040001010000660001000065000204000101000064000203010000630001000062000201010c016100",
        "01000000023ff0000000000000400000000000000040080000000000004010000000000000",
        "000000033ff00000000000004000000000000000400800000000000040100000000000004014000000000000" + "4018000000000000",
        "00000001000000000000001a000000020000000000000004000000010000000400000002", "000000010000000000000015000000020000000000000002000100000002fffe",
        "00000002000000000000000a0000000000000014000000000000000e000000000000000f",
    ];

    private readonly List<byte[]> _candidates = [.. Scalars.Select(Convert.FromHexString), Encoding.UTF8.GetBytes("{\"a\": [1, null, \"b\"]}"), Encoding.UTF8.GetBytes("x'\"\\{},() \u00fc\u6f22")];
    private readonly Dictionary<TypeEntry, byte[][]> _values = [];
    private readonly Random _random;
    private readonly TypeEntry[] _fieldTypes;

    public GoldenBytes(int seed)
    {
        _random = new Random(seed);
        foreach (var length in new[] { 1, 2, 4, 6, 8, 10, 12, 16, 24, 32 })
        {
            for (var i = 0; i < 3; i++)
            {
                var bytes = new byte[length];
                _random.NextBytes(bytes);
                _candidates.Add(bytes);
            }
        }
        // numeric stays out of records: what it takes as text is in no proportion to its bytes.
        _fieldTypes = [.. Types.Where(type => type is { HasBinaryCodec: true, Name: not ("record" or "numeric") } && !IsRange(type) && type.Element is null)];
    }

    public static TypeEntry[] Types { get; } = [.. BuiltInTypes.Create(TypeSettings.Default)
        .OrderBy(type => Array.IndexOf(Order, type.Name) is >= 0 and var index ? index : int.MaxValue)
        .SelectMany(type => new[] { type, type.Array }).OfType<TypeEntry>()];

    /// <summary>Some values of a type; empty if nothing here is one, as for types whose binary form nobody reads.</summary>
    public byte[][] Of(TypeEntry type)
    {
        if (!_values.TryGetValue(type, out var values))
            _values.Add(type, values = [.. Make(type).Where(bytes => IsReadable(type, bytes)).Take(MostOfEach)]);
        return values;
    }

    private IEnumerable<byte[]> Make(TypeEntry type)
    {
        if (type.Element is { } element)
            return Arrays(element);
        if (IsRange(type))
        {
            var isMultirange = (type.PgDbType & PgDbType.Multirange) != 0;
            var bound = Types.Single(other => other.PgDbType == (type.PgDbType & ~PgDbType.Range & ~PgDbType.Multirange));
            return isMultirange ? Multiranges(bound) : Ranges(bound);
        }
        return type.Name == "record" ? Records() : _candidates;
    }

    private static bool IsRange(TypeEntry type) => type.Element is null && (type.PgDbType & (PgDbType.Range | PgDbType.Multirange)) is not (null or 0);

    private static bool IsReadable(TypeEntry type, byte[] bytes) => type.ClrTypes.Select(clrType => type.CodecFor(clrType)).Any(codec =>
    {
        try
        {
            return codec?.ReadObject(bytes) is not null;
        }
        catch (Exception error) when (error is PgException or OverflowException or InvalidCastException)
        {
            return false;
        }
    });

    private IEnumerable<byte[]> Arrays(TypeEntry element)
    {
        yield return Join(Int(0), Int(0), Int((int)element.Oid));
        var values = Of(element);
        if (values.Length == 0)
            yield break;
        yield return Join([Int(1), Int(0), Int((int)element.Oid), Int(values.Length), Int(1), .. values.Select(Value)]);
        yield return Join(Int(1), Int(1), Int((int)element.Oid), Int(3), Int(0), Value(values[0]), Int(-1), Value(values[^1]));
        yield return Join([Int(2), Int(0), Int((int)element.Oid), Int(2), Int(1), Int(2), Int(-5), .. Enumerable.Range(0, 4).Select(i => Value(values[i % values.Length]))]);
        yield return Join([Int(6), Int(0), Int((int)element.Oid), .. Enumerable.Repeat(Join(Int(1), Int(1)), 6), Value(values[^1])]);
    }

    private IEnumerable<byte[]> Ranges(TypeEntry bound)
    {
        var values = Of(bound);
        yield return [1];
        yield return [0x18];
        for (var i = 0; i < values.Length; i++)
        {
            yield return Join([(byte)(i % 4 * 2)], Value(values[i]), Value(values[(i + 1) % values.Length]));
            yield return Join([(byte)(i % 2 == 0 ? 0x0c : 0x12)], Value(values[i]));
        }
    }

    private IEnumerable<byte[]> Multiranges(TypeEntry bound)
    {
        var ranges = Ranges(bound).ToArray();
        yield return Int(0);
        yield return Join(Int(1), Value(ranges[^1]));
        yield return Join([Int(ranges.Length), .. ranges.Select(Value)]);
    }

    private IEnumerable<byte[]> Records()
    {
        yield return Int(0);
        var inner = Int(0);
        for (var i = 0; i < 8; i++)
        {
            var fields = Enumerable.Range(0, 3).Select(_ => _fieldTypes[_random.Next(_fieldTypes.Length)]).Where(type => Of(type).Length > 0)
                .Select(type => Join(Int((int)type.Oid), i % 3 == 0 ? Int(-1) : Value(Of(type)[_random.Next(Of(type).Length)]))).ToArray();
            inner = Join([Int(fields.Length + 1), .. fields, Int(2249), Value(inner)]);
            yield return inner;
        }
        for (var depth = 0; depth < 40; depth++)
            inner = Join(Int(1), Int(2249), Value(inner));
        yield return inner;
        yield return Join(Int(2), Int(23), Value(Int(1)), Int(25), Value("a"u8.ToArray()));
    }

    private static byte[] Value(byte[] bytes) => Join(Int(bytes.Length), bytes);

    private static byte[] Int(int value)
    {
        var bytes = new byte[sizeof(int)];
        BinaryPrimitives.WriteInt32BigEndian(bytes, value);
        return bytes;
    }

    private static byte[] Join(params byte[][] parts) => parts.SelectMany(part => part).ToArray();
}
