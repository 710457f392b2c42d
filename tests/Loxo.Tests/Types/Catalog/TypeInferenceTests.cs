using System.Collections;
using System.Collections.Specialized;
using System.Net;
using System.Net.NetworkInformation;
using System.Numerics;
using System.Text.Json;
using System.Text.Json.Nodes;
using Loxo.Types;

namespace Loxo.Tests.Types;

public class TypeInferenceTests
{
    private static readonly object[] Values =
    [
        new object[] { true, "bool" }, new object[] { (short)1, "int2" }, new object[] { (byte)1, "int2" }, new object[] { (sbyte)1, "int2" },
        new object[] { 1, "int4" }, new object[] { 1L, "int8" }, new object[] { 1f, "float4" }, new object[] { 1d, "float8" },
        new object[] { 1m, "numeric" }, new object[] { BigInteger.One, "numeric" }, new object[] { PgNumeric.NaN, "numeric" },
        new object[] { "a", "text" }, new object[] { 'a', "text" }, new object[] { new[] { 'a' }, "text" },
        new object[] { new ReadOnlyMemory<char>(), "text" }, new object[] { new Memory<char>(), "text" }, new object[] { new ArraySegment<char>(), "text" },
        new object[] { new byte[1], "bytea" }, new object[] { new ReadOnlyMemory<byte>(), "bytea" }, new object[] { new Memory<byte>(), "bytea" },
        new object[] { new ArraySegment<byte>(), "bytea" }, new object[] { Guid.Empty, "uuid" },
        new object[] { new DateOnly(), "date" }, new object[] { new PgDate(), "date" }, new object[] { new PgTimestamp(), "timestamp" }, new object[] { new TimeOnly(), "time" }, new object[] { TimeSpan.Zero, "interval" },
        new object[] { new PgInterval(), "interval" }, new object[] { DateTimeOffset.UtcNow, "timestamptz" },
        new object[] { DateTime.UtcNow, "timestamptz" }, new object[] { DateTime.Now, "timestamp" }, new object[] { new DateTime(2000, 1, 1), "timestamp" },
        new object[] { IPAddress.Parse("::1"), "inet" }, new object[] { IPAddress.Loopback, "inet" }, new object[] { new PgInet(IPAddress.Any, 8), "inet" },
        new object[] { IPNetwork.Parse("10.0.0.0/8"), "cidr" }, new object[] { default(PgCidr), "cidr" }, new object[] { PhysicalAddress.None, "macaddr" },
        new object[] { new[] { IPAddress.Loopback }, "_inet" },
        new object[] { default(PgPoint), "point" }, new object[] { default(PgLine), "line" }, new object[] { default(PgLSeg), "lseg" },
        new object[] { default(PgBox), "box" }, new object[] { default(PgPath), "path" }, new object[] { default(PgPolygon), "polygon" },
        new object[] { default(PgCircle), "circle" }, new object[] { new[] { default(PgPath) }, "_path" },
        new object[] { new BitArray(1), "varbit" }, new object[] { new BitVector32(1), "varbit" }, new object[] { default(PgTid), "tid" },
        new object[] { default(PgLogSequenceNumber), "pg_lsn" }, new object[] { new[] { new BitArray(1) }, "_varbit" },
        new object[] { new[] { 1 }, "_int4" }, new object[] { new int?[] { 1 }, "_int4" }, new object[] { new List<string>(), "_text" },
        new object[] { new List<byte>(), "_int2" }, new object[] { new[] { new byte[1] }, "_bytea" }, new object[] { new[] { Guid.Empty }, "_uuid" },
        new object[] { new[] { DateTime.UtcNow }, "_timestamptz" }, new object[] { new List<DateTime> { DateTime.Now }, "_timestamp" },
        new object[] { new DateTime?[] { null, DateTime.Now }, "_timestamp" }, new object[] { Array.Empty<DateTime>(), "_timestamp" }, new object[] { new DateTime?[] { null }, "_timestamp" },
        new object[] { JsonDocument.Parse("1"), "jsonb" }, new object[] { JsonElement.Parse("1"), "jsonb" }, new object[] { new JsonObject(), "jsonb" },
        new object[] { new JsonArray(1), "jsonb" }, new object[] { JsonValue.Create(1), "jsonb" }, new object[] { JsonNode.Parse("1")!, "jsonb" },
        new object[] { new JsonNode[] { new JsonArray() }, "_jsonb" }, new object[] { new List<JsonElement>(), "_jsonb" },
    ];

    private static readonly object[] Ranges =
    [
        new object[] { new PgRange<int>(1, 2), "int4range" }, new object[] { new PgRange<long>(1, 2), "int8range" },
        new object[] { new PgRange<decimal>(1, 2), "numrange" }, new object[] { new PgRange<BigInteger>(1, 2), "numrange" },
        new object[] { new PgRange<DateOnly>(default, default), "daterange" }, new object[] { new PgRange<DateTimeOffset>(default, default), "tstzrange" },
        new object[] { new PgRange<DateTime>(DateTime.UtcNow, DateTime.MaxValue), "tstzrange" },
        new object[] { new PgRange<DateTime>(new(2024, 1, 1), DateTime.MaxValue), "tsrange" },
        new object[] { new PgRange<DateTime>(default, true, true, new(2024, 1, 1), false, false), "tsrange" },
        new object[] { PgRange<DateTime>.Empty, "tsrange" }, new object[] { new[] { PgRange<DateTime>.Empty, new PgRange<DateTime>(DateTime.UtcNow, DateTime.MaxValue) }, "tstzmultirange" },
        new object[] { new[] { new PgRange<int>(1, 2) }, "int4multirange" }, new object[] { new List<PgRange<DateOnly>>(), "datemultirange" },
        new object[] { new[] { new PgRange<DateTime>(new(2024, 1, 1), new(2024, 1, 2)) }, "tsmultirange" },
        new object[] { new[] { new[] { new PgRange<int>(1, 2) } }, "_int4multirange" },
        new object[] { new[] { new[] { new PgRange<DateTime>(new(2024, 1, 1), new(2024, 1, 2)) } }, "_tsmultirange" },
    ];

    private static readonly object[] Sequences =
    [
        new object[] { new int[1, 1], "_int4" }, new object[] { new string[1, 1, 1], "_text" }, new object[] { new[,] { { DateTime.Now } }, "_timestamp" },
        new object[] { Enumerable.Range(1, 2), "_int4" }, new object[] { new HashSet<string> { "a" }, "_text" },
        new object[] { new ReadOnlyMemory<int>([1]), "_int4" }, new object[] { new Memory<DateTime>([DateTime.UtcNow]), "_timestamptz" },
        new object[] { new ReadOnlyMemory<DateTime?>([null, DateTime.UtcNow]), "_timestamptz" }, new object[] { new ArraySegment<long>([1]), "_int8" },
        new object[] { new System.Collections.ObjectModel.Collection<int>(), "_int4" },
    ];

    [TestCaseSource(nameof(Values))]
    [TestCaseSource(nameof(Ranges))]
    [TestCaseSource(nameof(Sequences))]
    public void A_value_says_its_type(object value, string type)
    {
        var inferred = TypeCatalog.BuiltIn.Infer(value)!;
        Assert.That(inferred.Name, Is.EqualTo(type));
        Assert.That(inferred.CodecForValue(value), Is.Not.Null, "what is inferred can be written");
    }

    [Test]
    public void The_declared_type_says_it_too_even_for_null()
    {
        Assert.That(TypeCatalog.BuiltIn.Infer(5)!.Name, Is.EqualTo("int4"));
        Assert.That(TypeCatalog.BuiltIn.Infer<int?>(null)!.Name, Is.EqualTo("int4"));
        Assert.That(TypeCatalog.BuiltIn.Infer<string>(null)!.Name, Is.EqualTo("text"));
        Assert.That(TypeCatalog.BuiltIn.Infer<int[]>(null)!.Name, Is.EqualTo("_int4"));
        Assert.That(TypeCatalog.BuiltIn.Infer<IList<int>>([1])!.Name, Is.EqualTo("_int4"));
        Assert.That(TypeCatalog.BuiltIn.Infer<IList<int>>(null)!.Name, Is.EqualTo("_int4"));
        Assert.That(TypeCatalog.BuiltIn.Infer<object>(5)!.Name, Is.EqualTo("int4"));
        Assert.That(TypeCatalog.BuiltIn.Infer(DateTime.UtcNow)!.Name, Is.EqualTo("timestamptz"));
        Assert.That(TypeCatalog.BuiltIn.Infer<DateTime?>(DateTime.Now)!.Name, Is.EqualTo("timestamp"));
        Assert.That(TypeCatalog.BuiltIn.Infer<DateTime?>(null)!.Name, Is.EqualTo("timestamp"));
        Assert.That(TypeCatalog.BuiltIn.Infer<PgRange<int>?>(null)!.Name, Is.EqualTo("int4range"));
        Assert.That(TypeCatalog.BuiltIn.Infer(new PgRange<DateTime>(new(2024, 1, 1), new(2024, 1, 2)))!.Name, Is.EqualTo("tsrange"));
        Assert.That(TypeCatalog.BuiltIn.Infer<IEnumerable<int>>(Enumerable.Range(1, 2))!.Name, Is.EqualTo("_int4"));
    }

    [Test]
    public void Inferring_from_a_declared_type_allocates_nothing()
    {
        TypeCatalog.BuiltIn.Infer(5);
        TypeCatalog.BuiltIn.Infer(default(DateTime));
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var i = 0; i < 100; i++)
        {
            TypeCatalog.BuiltIn.Infer(i);
            TypeCatalog.BuiltIn.Infer(default(DateTime));
        }
        // A debug build boxes the DateTime; nothing may box the integer.
        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThanOrEqualTo(2400));
    }

    [Test]
    public void Types_without_a_meaning_in_SQL_say_nothing()
    {
        foreach (var value in new object[] { 1u, 1UL, (ushort)1, new object(), DayOfWeek.Friday, new object[] { 1 }, new[] { new[] { 1 } }, new Node() })
            Assert.That(TypeCatalog.BuiltIn.Infer(value), Is.Null, value.GetType().ToString());
    }

    [Test]
    public void Only_what_holds_a_DateTime_depends_on_its_kind()
    {
        foreach (var type in new[] { typeof(DateTime), typeof(DateTime?), typeof(DateTime[]), typeof(List<DateTime?>), typeof(PgRange<DateTime>), typeof(PgRange<DateTime>?[]) })
            Assert.That(TypeInference.DependsOnKind(type), Is.True, type.ToString());
        foreach (var type in new[] { typeof(int), typeof(string), typeof(DateTimeOffset), typeof(PgRange<DateOnly>), typeof(int[]), typeof(object) })
            Assert.That(TypeInference.DependsOnKind(type), Is.False, type.ToString());
    }

    [Test]
    public void Ranges_without_a_bound_do_not_tell_their_type()
    {
        var unbounded = new PgRange<DateTime>(default, false, true, default, false, true);
        foreach (var value in new object[] { PgRange<DateTime>.Empty, unbounded, Array.Empty<PgRange<DateTime>>(), new List<PgRange<DateTime>> { unbounded }, new PgRange<DateTime>?[] { null } })
            Assert.That(TypeInference.IsUndecidedRange(value), Is.True, value.GetType().ToString());
        foreach (var value in new object[] { new PgRange<DateTime>(DateTime.UtcNow, DateTime.UtcNow), PgRange<DateOnly>.Empty, Array.Empty<DateTime>(), DateTime.UtcNow, 1, "" })
            Assert.That(TypeInference.IsUndecidedRange(value), Is.False, value.GetType().ToString());
    }

    private sealed class Node : List<Node>;
}
